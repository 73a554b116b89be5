import Encoding

/// The parameters of a crowd at one or more gates within radio range of each other. The parameters, including the seed,
/// determine the run completely, so they suffice to report and reproduce a fault.
package struct CrowdPlan: Hashable, Sendable {
    /// The number of visitors, well-behaved or not, who arrive and leave. Visitors still present at the end of the run
    /// are not counted, nor are attackers.
    package var visits = 1000
    /// The number of gates within radio range of each other, at least 1. Every phone receives the advertisements of
    /// all gates.
    package var gates = 8
    /// The number of visitors' phones present at any time, distributed evenly over the gates. A new visitor replaces
    /// each visitor who leaves.
    package var phones = 50
    /// The fraction (0 to below 1) of all phones that belong to attackers. Above 0 there is at least one attacker.
    package var hostile = 0.05
    /// The maximum probability (0 to 1) that an exchange on a phone's link fails. Each phone has a random value up to
    /// the maximum.
    package var loss = 0.3
    /// The shortest and the longest time that a person takes to choose a credential.
    package var choosing: ClosedRange<Duration> = .seconds(2)...(.seconds(7))
    /// The fraction (0 to 1) of visitors who leave early, lose the link or take long, or whose phone behaves oddly. The
    /// same fraction of visitors presents a credential that is rejected.
    package var mixed = 0.2
    /// The number of phones that a gate accepts at the same time (`radio.phones`); 1: one at a time.
    package var places = 4
    /// The seed of all random values.
    package var seed: UInt64 = 1

    /// Creates the documented default values.
    package init() {}

    /// The command that reproduces the run.
    package var command: String {
        func percent(_ share: Double) -> String { "\((share * 100_000).rounded() / 1000)" }
        let choosing = [choosing.lowerBound, choosing.upperBound].map { "\(Int($0.milliseconds))" }
        return "gatehouse-workshop crowd --visits \(visits) --gates \(gates) --phones \(phones)"
            + " --hostile \(percent(hostile)) --loss \(percent(loss)) --mixed \(percent(mixed)) --places \(places)"
            + " --choosing \(choosing.joined(separator: " ")) --seed \(seed)"
    }

    /// The number of attackers' phones present at any time.
    package var attackers: Int {
        hostile > 0 ? max(1, Int((Double(phones) * hostile / (1 - min(hostile, 0.99))).rounded())) : 0
    }
}
