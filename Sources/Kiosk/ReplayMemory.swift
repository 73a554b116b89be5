package import Encoding
package import Ledger

/// The state of a credential that was presented in a visit and accepted.
///
/// | state | begins with | the same credential in another visit | on the disk |
/// |---|---|---|---|
/// | reserved | the accepted verdict | refused | no |
/// | ``ordered`` | the order to the gate | refused | yes |
/// | ``used`` | the result: the gate opened, or no answer | refused until the window is over | yes |
/// | ``released`` | see below | accepted | no, as soon as the disk has deleted it |
///
/// A credential is released by the result that nothing was energised, by the end of a visit without an order, or, if
/// the operator chose so, by a visitor who did not pass.
///
/// "The result" is the result of the opening as in the record: the answer of the thread that switches the relay's
/// line, which arrives within the driver's time limit. The window (``ReplayMemory/window``) begins with the order. The
/// credential's names and the decision are written to the disk when the order is given. After a power cut between the
/// order and the result, names and decision are on the disk: the credential counts as used, and the record contains
/// the order.
package enum CredentialUse: Hashable, Sendable {
    /// The gate was ordered to open, and the result is not known yet.
    case ordered
    /// The gate opened, or the line's thread gave no answer in time.
    case used
    /// The gate did not open, or the visitor did not pass and the operator chose that this releases the credential.
    case released
}

/// Remembers which credentials were admitted recently, so that a visitor who has passed cannot hand the credential
/// to a second person.
///
/// A visit reserves the names of its credential from the verification on. ``CredentialUse`` lists the states.
/// After a link that broke before the verdict, or a relay that failed, the credential is accepted again. The memory
/// uses the monotonic clock: a jump of the date neither ends nor extends the window.
package struct ReplayMemory: Sendable {
    /// The largest number of credential names to remember. With more, the oldest name is forgotten.
    package static let capacity = 16_384
    /// The largest number of visits that hold reservations, and of visits that ended before their
    /// verification. It is larger than the number of connected phones and waiting visitors together.
    package static let visits = 64

    /// How long a name is remembered, from the opening on.
    package var window: Duration
    private let capacity: Int
    private var remembered: [ReplayName: Instant] = [:]
    /// The reserved names, by visit. `ordered`: when the gate was ordered to open; nil if it was not.
    private var reserved: [(visit: VisitID, names: [ReplayName], ordered: Instant?)] = []
    private var early: [VisitID] = []

    /// Creates an empty memory. Every gate uses the documented capacity; tests use a smaller one.
    package init(window: Duration, capacity: Int = Self.capacity) {
        (self.window, self.capacity) = (window, capacity)
    }

    /// Returns whether the credential with this name was admitted within the window, or is reserved by another visit.
    package func knows(_ name: ReplayName, besides visit: VisitID, at now: Instant) -> Bool {
        if let since = remembered[name], since.duration(to: now) <= window { return true }
        return reserved.contains { $0.visit != visit && $0.names.contains(name) }
    }

    /// Reserves the given names for a visit whose credential is accepted, until ``settle(_:_:at:)``. Reserves
    /// no name for a visit that has already ended.
    package mutating func reserve(_ names: [ReplayName], for visit: VisitID) {
        if early.contains(visit) { return }
        reserved.removeAll { $0.visit == visit }
        if reserved.count >= Self.visits {
            // Prefer to drop the reservation of a visit whose order was given, because its credential counts as used
            // anyway.
            let first = reserved.remove(at: reserved.firstIndex { $0.ordered != nil } ?? 0)
            if let ordered = first.ordered { for name in first.names { remember(name, at: ordered) } }
        }
        reserved.append((visit, names, ordered: nil))
    }

    /// Puts the credential of `visit` into the state `use`. If the visit has no reservation, no state changes, and a
    /// later reservation for it is ignored. Returns the names that the disk must remove (``CredentialUse/released``)
    /// or keep from now on (any other state).
    package mutating func settle(_ visit: VisitID, _ use: CredentialUse, at now: Instant) -> [ReplayName] {
        guard let index = reserved.firstIndex(where: { $0.visit == visit }) else {
            if early.count >= Self.visits { early.removeFirst() }
            early.append(visit)
            return []
        }
        let (_, names, ordered) = reserved[index]
        if use == .ordered { reserved[index].ordered = ordered ?? now } else { reserved.remove(at: index) }
        if use == .used { for name in names { remember(name, at: ordered ?? now) } }
        // The names of an order are already on the disk, or being written.
        return (use == .released) == (ordered != nil) ? names : []
    }

    /// Takes over the names that the disk kept across a restart. If the date can be trusted, names whose
    /// window is over are left out. Otherwise the window of each name begins again now: a wrong refusal does less
    /// harm than a wrong admission. If several dates are possible, the earliest counts.
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
    /// Returns the difference, or the nearest value of the type.
    fileprivate func subtracting(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (self < other ? .min : .max) : difference
    }
}
