import Encoding

/// Checks whether the controller really advertises, by a command that an advertising controller must refuse.
///
/// The command sets the address of an advertising place to its present value. If the place is on the air, the answer is
/// "command disallowed". If the command succeeds, the place is off the air (Core Specification Vol 4 Part E 7.8.4,
/// 7.8.52). The command changes nothing in either case. Some controllers accept the command even immediately after
/// advertising was enabled. The answers of such controllers prove nothing, so the host switches the advertising off and
/// on periodically.
struct AdvertisingProof: Sendable {
    /// The next step: the command for the given place (`ask`), or a renewal.
    enum Question: Equatable, Sendable {
        case ask(Int)
        /// Switch all places off and on.
        case renew
    }

    /// The meaning of an answer for the place.
    enum Answer: Equatable, Sendable {
        /// The place is on the air, or the answer proves nothing.
        case alive
        /// The place is off the air and must be switched on.
        case off
        /// The place is off the air although the host has just switched it on.
        case dead
    }

    /// Whether the controller's answers prove that it advertises.
    private enum Trust {
        case untested, proves, provesNothing
    }

    /// The time between two proofs, for a controller whose answers prove that it advertises.
    private let proof: Duration
    /// The time between two renewals, for a controller whose answers prove nothing.
    private let renewal: Duration
    private var trust = Trust.untested
    /// The places of this round that have not been checked.
    private var open: [Int] = []
    /// The places that were off the air and have been switched on again.
    private var doubted: Set<Int> = []
    /// The start of the next round of proofs; nil while no advertisement is on the air.
    private(set) var due: Instant?
    /// The number of times that a place was off the air although it should have been on.
    private(set) var lapses = 0

    /// Creates the proof for an unknown controller.
    init(every proof: Duration, renewal: Duration) {
        (self.proof, self.renewal) = (proof, renewal)
    }

    /// Notes which places are on the air, as far as is known.
    mutating func watch(_ places: [Int], at now: Instant) {
        open.removeAll { !places.contains($0) }
        doubted.formIntersection(places)
        guard !places.isEmpty else {
            due = nil
            return
        }
        let due = due ?? now.advanced(by: interval)
        self.due = due
        if now >= due { open = places }
    }

    /// Returns the next step if one is due; otherwise nil.
    mutating func next(at now: Instant) -> Question? {
        guard !open.isEmpty else { return nil }
        due = now.advanced(by: interval)
        guard trust != .provesNothing else {
            open = []
            return .renew
        }
        return .ask(open.removeFirst())
    }

    /// Handles the answer about a place.
    mutating func take(_ status: HCIStatus, of place: Int) -> Answer {
        switch status {
        case .commandDisallowed:
            if doubted.remove(place) != nil, trust == .untested { lapses += 1 }
            trust = .proves
            return .alive
        case .success:
            let isRepeated = doubted.contains(place)
            if trust == .proves {
                lapses += 1
                if isRepeated { return .dead }
            } else if isRepeated {
                giveUp()
                return .alive
            }
            doubted.insert(place)
            open.append(place)
            return .off
        default:
            giveUp()
            return .alive
        }
    }

    private mutating func giveUp() { (trust, open, doubted, due) = (.provesNothing, [], [], nil) }

    private var interval: Duration { trust == .provesNothing ? renewal : proof }
}
