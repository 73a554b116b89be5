import Encoding

/// Whether the controller really advertises: asked by a command that it must refuse while it does.
///
/// The address that a place has is told once more: while it is on the air that is "command disallowed", and success means that
/// it is not (Core Specification Vol 4 Part E 7.8.4, 7.8.52). The address is the same, so nothing changes whatever the answer. A
/// controller that takes the command straight after it was told to advertise takes it always: its word proves nothing, and it is
/// switched off and on now and then in place of being asked.
struct AdvertisingProof: Sendable {
    /// What to do.
    enum Question: Equatable, Sendable {
        case ask(Int)
        /// Switch everything off and on.
        case renew
    }

    /// What an answer means for its place.
    enum Answer: Equatable, Sendable {
        /// It is on the air, or nothing else is known.
        case alive
        /// It is not, and is to be switched on.
        case off
        /// It is not, although it was just switched on.
        case dead
    }

    /// How far the controller's answers can be relied on.
    private enum Trust {
        case untested, proves, provesNothing
    }

    /// From one proof to the next, for a controller whose answer means something.
    private let proof: Duration
    /// From one renewal to the next, for the others.
    private let renewal: Duration
    private var trust = Trust.untested
    /// Places that are to be asked about.
    private var open: [Int] = []
    /// The places that were found off and have been switched on since.
    private var doubted: Set<Int> = []
    /// When the next round begins; nil while nothing is on the air.
    private(set) var due: Instant?
    /// How often a place was found off the air that should have been on.
    private(set) var lapses = 0

    /// Nothing known.
    init(every proof: Duration, renewal: Duration) {
        (self.proof, self.renewal) = (proof, renewal)
    }

    /// These places are on the air, as far as is known.
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
