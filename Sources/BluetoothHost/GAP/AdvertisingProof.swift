import Encoding

/// Checks whether the controller really advertises, by a command that the controller must refuse while it
/// advertises.
///
/// The command sets the address of a place again. While the place is on the air, the answer is "command
/// disallowed"; success means that the place is off the air (Core Specification Vol 4 Part E 7.8.4, 7.8.52).
/// The address is the same, so the command changes nothing, whatever the answer. A controller that accepts
/// the command immediately after advertising was enabled accepts it always. Its answer proves nothing, so its
/// advertising is switched off and on periodically instead.
struct AdvertisingProof: Sendable {
    /// The next thing to do.
    enum Question: Equatable, Sendable {
        case ask(Int)
        /// The command switches all places off and on.
        case renew
    }

    /// What an answer means for the place.
    enum Answer: Equatable, Sendable {
        /// The place is on the air, or the answer proves nothing.
        case alive
        /// The place is off the air and must be switched on.
        case off
        /// The place is off the air although it was just switched on.
        case dead
    }

    /// How far the controller's answers can be relied on.
    private enum Trust {
        case untested, proves, provesNothing
    }

    /// The time from one proof to the next, for a controller whose answers prove whether it advertises.
    private let proof: Duration
    /// The time from one renewal to the next, for controllers whose answers prove nothing.
    private let renewal: Duration
    private var trust = Trust.untested
    /// Places still to be asked about in this round.
    private var open: [Int] = []
    /// The places that were found off the air and have been switched on since.
    private var doubted: Set<Int> = []
    /// When the next round of proofs begins; nil while no advertisement is on the air.
    private(set) var due: Instant?
    /// How often a place was found off the air although it should have been on.
    private(set) var lapses = 0

    /// Creates a proof that knows nothing about the controller.
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

    /// The next question, if one is due.
    mutating func next(at now: Instant) -> Question? {
        guard !open.isEmpty else { return nil }
        due = now.advanced(by: interval)
        guard trust != .provesNothing else {
            open = []
            return .renew
        }
        return .ask(open.removeFirst())
    }

    /// Takes the answer about a place.
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
