package import Encoding

/// A controller and the phones of a script of visits, in one virtual radio environment.
///
/// The radio is an HCI transport for the host. All other behaviour follows from the script, the seed and the times of
/// the calls.
package struct VirtualRadio: Sendable {
    /// An event from outside.
    package enum Event: Sendable {
        /// The host sent one H4 packet.
        case fromHost([UInt8])
        /// The verifier's display now shows the given QR text, or none (nil).
        case invitation(String?)
        /// A further visitor arrives now. The arrival time in the visit is ignored.
        case visitor(Visit)
        /// The radio's deadline has passed.
        case timer
    }

    /// An action of the radio.
    package enum Action: Equatable, Sendable {
        /// Send one H4 packet to the host.
        case toHost([UInt8])
        /// Visit number `visit` (from 0) reports the given observation.
        case observed(visit: Int, PhoneEvent)
        /// The host violated a rule of HCI.
        case violation(VirtualController.Violation)
    }

    struct Active: Sendable {
        var phone: VirtualPhone
        /// The phone's deadline after the last event that it handled; nil if there is none.
        var due: Instant?
        var wants: (address: DeviceAddress, from: Instant)?
        var handle: UInt16?
    }

    enum Work: Sendable {
        case controller(VirtualController.Event)
        case phone(Int, VirtualPhone.Event)
    }

    /// The script, followed by the visitors who were added later.
    package private(set) var visits: [Visit]
    /// The outcomes of finished visits, by visit number.
    package private(set) var outcomes: [Int: VisitOutcome] = [:]
    var controller: VirtualController
    var random: SplitMix64
    /// The current advertisements, and the times of their next events, by advertising set.
    var advertisers: [UInt8: Advertiser] = [:]
    var nextAdvertisements: [UInt8: Instant] = [:]
    /// The sets without an advertising event so far.
    var newOnAir: Set<UInt8> = []
    /// The advertisements of other verifiers in range, which scanning phones receive, too.
    var neighbours: [Advertiser] = []
    /// The probability that all phones miss an advertising event because another verifier is transmitting.
    var interference = 0.0
    var invitation: String?
    var active: [Int: Active] = [:]
    var links: [UInt16: (link: Link, visit: Int)] = [:]
    var arrivals = EventQueue<Int>()
    var nextHandle: UInt16 = 0x0040
    var work: [Work] = []
    var actions: [Action] = []
    private var hasStarted = false
    private var arrived: Set<Int> = []

    /// Creates a radio whose time starts with the first call of ``handle(_:at:)``.
    package init(controller: ControllerTraits = ControllerTraits(), visits: [Visit], seed: UInt64 = 1) {
        self.visits = visits
        random = SplitMix64(seed: seed)
        self.controller = VirtualController(traits: controller, seed: seed &+ 1)
    }

    /// The current advertisements, in the order of their advertising sets.
    package var onAir: [Advertiser] { advertisers.sorted { $0.key < $1.key }.map(\.value) }

    /// Whether all visits have finished.
    package var isFinished: Bool { outcomes.count == visits.count }

    /// Whether all visits have finished and all links are down.
    package var isIdle: Bool { isFinished && active.isEmpty && links.isEmpty }

    /// Plays another script from now on, for runs of many thousand visits. Does nothing unless the radio ``isIdle``.
    /// The previous visits are removed, and visit numbers restart at 0. Host and controller continue.
    package mutating func play(_ visits: [Visit], at now: Instant) {
        guard isIdle else { return }
        (self.visits, outcomes, arrived, hasStarted) = (visits, [:], [], false)
        start(at: now)
    }

    /// The next time at which the state changes without an outside event; nil for never.
    package var deadline: Instant? {
        var soonest: Instant?
        func consider(_ instant: Instant?) {
            if let instant, soonest.map({ instant < $0 }) ?? true { soonest = instant }
        }
        consider(controller.deadline)
        consider(arrivals.deadline)
        for (_, instant) in nextAdvertisements { consider(instant) }
        for (_, one) in active { consider(one.due) }
        for (_, one) in links { consider(one.link.deadline) }
        return soonest
    }

    /// Returns the phones or links that are due, in the order of their numbers.
    private func due<Number: Comparable, One>(_ all: [Number: One], _ now: Instant, _ of: (One) -> Instant?) -> [Number]
    {
        var numbers: [Number] = []
        for (number, one) in all { if let due = of(one), due <= now { numbers.append(number) } }
        return numbers.sorted()
    }

    /// Handles one event. Everything that was due earlier is handled first.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        start(at: now)
        while let due = deadline, due <= now { step(at: due) }
        switch event {
        case .timer: break
        case .fromHost(let packet): work.append(.controller(.fromHost(packet)))
        case .visitor(let visit):
            visits.append(visit)
            arrive(visits.count - 1)
        case .invitation(let text):
            invitation = text
            work += active.keys.sorted().map { .phone($0, .invitation(text)) }
        }
        finishWork(at: now)
        defer { actions = [] }
        return actions
    }

    private mutating func start(at now: Instant) {
        guard !hasStarted else { return }
        hasStarted = true
        for (number, visit) in visits.enumerated() {
            switch visit.arrival {
            case .at(let time): arrivals.add(number, at: now.advanced(by: time))
            case .afterPrevious(let gap): if number == 0 { arrivals.add(number, at: now.advanced(by: gap)) }
            }
        }
    }

    private mutating func step(at now: Instant) {
        if let due = controller.deadline, due <= now { work.append(.controller(.timer)) }
        while let number = arrivals.take(dueBy: now) { arrive(number) }
        for handle in due(links, now, { $0.link.deadline }) { advanceLink(handle, to: now) }
        for number in due(active, now, { $0.due }) { work.append(.phone(number, .timer)) }
        finishWork(at: now)
        for set in nextAdvertisements.keys.sorted() {
            guard let due = nextAdvertisements[set], due <= now else { continue }
            advertise(set, at: now)
            finishWork(at: now)
        }
    }

    private mutating func arrive(_ number: Int) {
        guard arrived.insert(number).inserted else { return }
        let visit = visits[number]
        active[number] = Active(
            phone: VirtualPhone(
                traits: visit.phone, submission: visit.submission, misbehaviour: visit.misbehaviour, seed: random.next()
            ))
        work.append(.phone(number, .invitation(invitation)))
        work.append(.phone(number, .arrived))
    }

    private mutating func finishWork(at now: Instant) {
        var next = 0
        while next < work.count {
            defer { next += 1 }
            switch work[next] {
            case .controller(let event):
                for action in controller.handle(event, at: now) { perform(action, at: now) }
            case .phone(let number, let event):
                let actions = active[number]?.phone.handle(event, at: now) ?? []
                let due = active[number]?.phone.deadline
                active[number]?.due = due
                for action in actions { perform(action, of: number, at: now) }
                if active[number]?.phone.hasEnded == true { end(number) }
            }
        }
        work.removeAll(keepingCapacity: true)
        scheduleAdvertising(at: now)
    }

    private mutating func end(_ number: Int) {
        guard let handle = active[number]?.handle, links[handle] != nil else {
            active[number] = nil
            return
        }
    }

    /// Records the outcome of a visit and schedules the next visitor.
    mutating func finished(_ number: Int, _ outcome: VisitOutcome, at now: Instant) {
        outcomes[number] = outcome
        let next = number + 1
        if next < visits.count, case .afterPrevious(let gap) = visits[next].arrival {
            arrivals.add(next, at: now.advanced(by: gap))
        }
    }

    mutating func report(_ action: Action) { actions.append(action) }
}
