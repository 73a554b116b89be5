import Encoding

/// A crowd before one or more gates in one ether, as figures: the plan and its seed say everything, so they are the report of a
/// fault and what plays it again.
package struct CrowdPlan: Hashable, Sendable {
    /// People who come and go, well-behaved or not; those who are still there then come on top, and attackers do not count.
    package var visits = 1000
    /// Gates in one ether, at least 1: every phone hears all of them.
    package var gates = 8
    /// Phones of visitors that are out at any time, as many before each gate: whoever is done makes room for the next.
    package var phones = 50
    /// Share (0 … below 1) of all phones that belong to attackers; above 0 at least one.
    package var hostile = 0.05
    /// Largest probability (0 … 1) that an exchange on a phone's link fails; each phone draws its own up to it.
    package var loss = 0.3
    /// Shortest and longest time for which a person looks for a credential.
    package var choosing: ClosedRange<Duration> = .seconds(2)...(.seconds(7))
    /// Share (0 … 1) of visitors who leave, get lost, dawdle or whose phone does something odd; as many again bring a credential
    /// that is refused.
    package var mixed = 0.2
    /// Phones that a gate serves at once (`radio.phones`); 1: one at a time.
    package var places = 4
    /// Fixes everything that is drawn.
    package var seed: UInt64 = 1

    /// The documented defaults.
    package init() {}

    /// The command that plays it again.
    package var command: String {
        func percent(_ share: Double) -> String { "\((share * 100_000).rounded() / 1000)" }
        let choosing = [choosing.lowerBound, choosing.upperBound].map { "\(Int($0.milliseconds))" }
        return "gatehouse crowd --visits \(visits) --gates \(gates) --phones \(phones) --hostile \(percent(hostile))"
            + " --loss \(percent(loss)) --mixed \(percent(mixed)) --places \(places)"
            + " --choosing \(choosing.joined(separator: " ")) --seed \(seed)"
    }

    /// Attackers' phones in the ether at any time.
    package var attackers: Int {
        hostile > 0 ? max(1, Int((Double(phones) * hostile / (1 - min(hostile, 0.99))).rounded())) : 0
    }
}
