import Crypto
import Encoding
package import Kiosk

/// A crowd at several gates within radio range of each other, in virtual time. The kiosks are real, and ``KioskRules``
/// checks them. Each phone has the code of its own gate and receives the advertisements of all gates.
///
/// The same plan gives exactly the same run: all random values come from the plan's seed, and if two gates are due at
/// the same time, the gate with the lower number acts first.
package final class Crowd {
    /// The plan of the crowd.
    package let plan: CrowdPlan
    private let credentials: CrowdCredentials
    private let gates: [CrowdGate]
    private var due: [Instant?]
    private var onAir: [[Advertiser]]
    private var random: SplitMix64
    private var gone = 0
    private var now = Instant.zero

    /// Creates a crowd before the arrival of its visitors. `settings` returns the settings of the gates, which differ
    /// in their names.
    package init(
        _ plan: CrowdPlan, credentials: CrowdCredentials = .placeholder,
        settings: (_ name: String) throws -> KioskSettings
    ) rethrows {
        (self.plan, self.credentials) = (plan, credentials)
        var random = SplitMix64(seed: plan.seed)
        gates = try (0..<max(1, plan.gates)).map { number in
            CrowdGate(
                plan, settings: try settings("Gate\(number)"), credentials: credentials, random: &random)
        }
        self.random = random
        due = [Instant?](repeating: .zero, count: gates.count)
        onAir = Array(repeating: [], count: gates.count)
    }

    /// The kiosks of the gates in their present state.
    package var kiosks: [Kiosk] { gates.map(\.simulation.kiosk) }

    /// Runs until the planned number of visitors and then all remaining visitors have left. `onVisit` is called with
    /// the number of visitors that have left.
    package func run(onVisit: (Int) -> Void = { _ in }) -> CrowdFigures {
        // The radios need time to start.
        let opening = Instant.zero.advanced(by: .seconds(2))
        play(until: opening) { false }
        for slot in 0..<plan.phones { visitor(slot) }
        for slot in 0..<plan.attackers { attacker(slot) }
        // Allow ten minutes for each visitor, because a person stays for some minutes at most.
        let end = opening.advanced(by: .seconds(600 * (2 + plan.visits / gates.count)))
        play(until: end) {
            for gate in self.gates { for slot in gate.takeGone() { self.next(slot, onVisit) } }
            return self.gone >= self.plan.visits
        }
        let (last, served) = (now, gates.map(\.figures.waiting.count).reduce(0, +))
        let limit = last.advanced(by: .seconds(600))
        play(until: limit) { self.gates.allSatisfy(\.isEmpty) }
        let isOver = gates.allSatisfy(\.isEmpty)
        // Wait for the end of pulses and for the outcomes of spare intents.
        let rest = now.advanced(by: .seconds(5))
        play(until: rest) { false }
        for gate in gates { gate.stop() }
        var figures = sum()
        (figures.time, figures.served, figures.isOver) = (opening.duration(to: last), served, isOver)
        return figures
    }

    // MARK: - Arrivals

    /// Replaces the visitor or attacker that has left. Visitors have slots from 0 upwards, attackers from -1 downwards.
    private func next(_ slot: Int, _ onVisit: (Int) -> Void) {
        guard slot >= 0 else { return attacker(-1 - slot) }
        gone += 1
        onVisit(gone)
        visitor(slot)
    }

    private func visitor(_ slot: Int) {
        guard gone < plan.visits else { return }
        come(CrowdVisitor(plan, credentials, &random), slot: slot, to: slot % gates.count)
    }

    private func attacker(_ number: Int) {
        guard gone < plan.visits else { return }
        let gate = Int(random.next() % UInt64(gates.count))
        come(CrowdVisitor(attackerOf: plan, credentials, &random), slot: -1 - number, to: gate)
    }

    private func come(_ visitor: CrowdVisitor, slot: Int, to number: Int) {
        gates[number].advance(to: now)
        gates[number].come(visitor, slot: slot)
        due[number] = gates[number].simulation.deadline
    }

    // MARK: - Time

    /// Advances from deadline to deadline, and evaluates `isDone` after each.
    private func play(until end: Instant, isDone: () -> Bool) {
        while !isDone() {
            var (first, soonest): (Int?, Instant?) = (nil, nil)
            for (number, due) in due.enumerated() {
                if let due, soonest.map({ due < $0 }) ?? true { (first, soonest) = (number, due) }
            }
            guard let first, let soonest, soonest <= end else { return now = max(now, end) }
            now = max(now, soonest)
            gates[first].advance(to: now)
            due[first] = gates[first].simulation.deadline
            listen(first)
        }
    }

    /// Makes the new advertisements of a gate audible at all other gates.
    private func listen(_ number: Int) {
        guard gates.count > 1, gates[number].simulation.radio.onAir != onAir[number] else { return }
        onAir[number] = gates[number].simulation.radio.onAir
        for (other, gate) in gates.enumerated() where other != number {
            gate.hear(onAir.enumerated().flatMap { $0 == other ? [] : $1 })
        }
    }

    private func sum() -> CrowdFigures {
        var (sum, hash) = (CrowdFigures(), SHA256())
        for gate in gates.map(\.figures) {
            sum.visitors += gate.visitors
            sum.attackers += gate.attackers
            sum.accepted += gate.accepted
            sum.rejected += gate.rejected
            sum.unserved += gate.unserved
            sum.wrong += gate.wrong
            sum.connections += gate.connections
            sum.pulses += gate.pulses
            sum.recordedPulses += gate.recordedPulses
            sum.records.merge(gate.records, uniquingKeysWith: +)
            sum.openIntents += gate.openIntents
            sum.faults += gate.faults
            sum.waiting += gate.waiting
            sum.linked += gate.linked
            hash.update(data: Array(gate.digest.utf8))
        }
        sum.digest = Hex.encode(Array(hash.finalize()))
        return sum
    }
}
