package import Encoding
package import Ledger

/// Who was let in a moment ago, so that a credential which is passed back cannot open the gate again.
///
/// A name is *reserved* for a visit while that visit is on its way from verification to gate, *remembered* once the gate was told
/// to open, and *released* when the visit ended otherwise: a link that breaks before the verdict locks nobody out. However long the
/// verdict waits for its turn, and the visitor before the gate, nobody else comes in by that credential. Runs on the monotonic clock: a
/// jump of the date neither opens nor widens the window.
package struct ReplayMemory: Sendable {
    /// Names remembered at most; beyond it the oldest is forgotten.
    package static let capacity = 16_384
    /// Visits that hold reservations, and ends that came before their verification, at most; there are as many as phones connected, and
    /// visitors before the gate.
    package static let visits = 64

    /// How long a name is remembered, from the opening on.
    package var window: Duration
    private let capacity: Int
    private var remembered: [ReplayName: Instant] = [:]
    private var reserved: [(visit: VisitID, names: [ReplayName])] = []
    private var early: [VisitID] = []

    /// A memory of nobody. The documented capacity is for every gate; tests take a smaller one.
    package init(window: Duration, capacity: Int = Self.capacity) {
        (self.window, self.capacity) = (window, capacity)
    }

    /// Whether the name was let in within the window, or is on its way to the gate with another visit.
    package func knows(_ name: ReplayName, besides visit: VisitID, at now: Instant) -> Bool {
        if let since = remembered[name], since.duration(to: now) <= window { return true }
        return reserved.contains { $0.visit != visit && $0.names.contains(name) }
    }

    /// Holds these names for a visit whose credential is accepted, until ``settle(_:opened:at:)``, which comes for each visit. One that
    /// has ended already holds nothing.
    package mutating func reserve(_ names: [ReplayName], for visit: VisitID) {
        if early.contains(visit) { return }
        reserved.removeAll { $0.visit == visit }
        if reserved.count >= Self.visits { reserved.removeFirst() }
        reserved.append((visit, names))
    }

    /// A visit has ended, whether it was verified or not. Returns the names that are remembered from `now` on: none unless the gate
    /// was told to open.
    package mutating func settle(_ visit: VisitID, opened: Bool, at now: Instant) -> [ReplayName] {
        guard let index = reserved.firstIndex(where: { $0.visit == visit }) else {
            if early.count >= Self.visits { early.removeFirst() }
            early.append(visit)
            return []
        }
        let reservation = reserved.remove(at: index)
        guard opened else { return [] }
        for name in reservation.names { remember(name, at: now) }
        return reservation.names
    }

    /// Takes over what was kept on disk over a restart. By a date that can be believed those are left out whose window is over; by
    /// any other each counts anew from now on: better wait once too often. Of two possible dates the earlier one counts.
    package mutating func recall(_ kept: [(name: ReplayName, at: Timestamp)], at date: WallTime, now: Instant) {
        for (name, since) in kept {
            let isBelieved = date.provenance >= .rtc
            let age = isBelieved ? Duration.seconds(max(0, date.earliest.seconds.subtracting(since.seconds))) : .zero
            if age <= window { remember(name, at: now.advanced(by: .zero - age)) }
        }
    }

    private mutating func remember(_ name: ReplayName, at instant: Instant) {
        if remembered[name] == nil, remembered.count >= capacity {
            remembered = remembered.filter { $0.value.duration(to: instant) <= window }
            if remembered.count >= capacity, let oldest = remembered.min(by: { $0.value < $1.value }) {
                remembered[oldest.key] = nil
            }
        }
        remembered[name] = max(remembered[name] ?? instant, instant)
    }
}

extension Int64 {
    /// The difference, or what is nearest to it.
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }
}
