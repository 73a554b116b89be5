import Encoding

/// Keeps what is on the air in step with what is wished for: one advertisement in each place that the controller has.
///
/// A controller with legacy commands has one place, one with advertising sets several (``AdvertisingDialect``). Whatever happens,
/// the next command follows from the difference between wish and fact: what is not wanted goes off, what is wanted and not there
/// is loaded while its place is off, and then goes on. Phones take the key from address, advertisement and scan response
/// together, so no mixture of two may ever be seen (iOS wallets crash on a scan response without its advertisement).
///
/// That the controller does advertise is asked, not assumed (``AdvertisingProof``).
struct Advertiser: Sendable {
    /// What follows.
    enum Outcome: Equatable, Sendable {
        /// The next command.
        case send(HCICommand)
        /// What was last asked for is on the air.
        case started
        /// Nothing is on the air, as asked for.
        case stopped
        /// The controller refused; only what was on the air before still is, until it is asked for again.
        case refused(HCIOpcode, HCIStatus)
        /// The controller takes every command and does not advertise.
        case dead
    }

    /// The command that is unanswered, by the places that it is about.
    fileprivate enum Step {
        case off([Int])
        case parameters(Int)
        case address(Int, Advertisement)
        case data(Int, Advertisement)
        case scanResponse(Int, Advertisement)
        case on([(place: Int, advertisement: Advertisement)])
        case proof(Int, Advertisement)
    }

    fileprivate struct Place {
        var hasParameters = false
        /// What the controller holds for it: it need not be told again to go on with that after a connection.
        var address: DeviceAddress?
        var data: [UInt8]?
        var scanResponse: [UInt8]?
        /// What belongs there.
        var target: Advertisement?
        var isOn = false
        /// What was last on the air there.
        var aired: Advertisement?
        /// Whether it is to go off and on again, as it may be off already.
        var isStale = false

        mutating func forget() { (address, data, scanResponse) = (nil, nil, nil) }
    }

    /// In units of 0.625 ms.
    private let interval: ClosedRange<UInt16>
    private let dialect: AdvertisingDialect
    private var places: [Place]
    private var wish: [Advertisement] = []
    private var turns: AdvertisingTurns
    private var proof: AdvertisingProof
    private var step: Step?
    /// Whether what comes of the wish is still to be told.
    private var isUntold = false
    /// Whether a connection has taken a place: the owner says whether there is room for another phone.
    private var isPaused = false
    /// Whether the controller has already disagreed about being off since the wish.
    private var hasRetried = false

    /// Nothing on the air, with a controller to be told in that way.
    init(_ configuration: HostConfiguration, _ dialect: AdvertisingDialect) {
        (interval, self.dialect) = (configuration.advertisingInterval, dialect)
        turns = AdvertisingTurns(length: configuration.advertisingTurn)
        proof = AdvertisingProof(every: configuration.advertisingProof, renewal: configuration.advertisingRenewal)
        places = Array(repeating: Place(), count: dialect.places)
    }

    /// Whether phones can see us, as far as is known.
    var isOn: Bool { places.contains(where: \.isOn) }

    /// Whether the controller tells by an event of its own which advertisement a phone has connected to.
    var namesConnections: Bool { dialect != .legacy }

    /// How often the controller was found off the air.
    var lapses: Int { proof.lapses }

    /// When the next turn or proof is due; nil: none.
    var deadline: Instant? {
        guard case .none = step, isOn else { return nil }
        return [turns.end, proof.due].compactMap { $0 }.min()
    }

    // MARK: - What happens

    /// Asks for these advertisements, the most important first; none: silence. What is under way is brought to this end.
    mutating func want(_ advertisements: [Advertisement], at now: Instant) -> Outcome? {
        (wish, isUntold, isPaused, hasRetried) = (advertisements, true, false, false)
        return next(at: now)
    }

    /// A connection came about, which ends legacy advertising (Core Specification Vol 6 Part B 4.4.2.4), and whatever is on its
    /// way to the air is called back. Returns what the phone connected to, and whether the air is silent now.
    mutating func connected() -> (Advertisement?, isSilent: Bool) {
        let (aired, wasOn) = (places.first?.aired, isOn)
        wish = []
        for index in places.indices { (places[index].isOn, places[index].target) = (false, nil) }
        guard case .none = step else {
            isUntold = true
            return (aired, false)
        }
        return (aired, wasOn)
    }

    /// A set ended: with a connection, or for no reason that we gave. Returns what it had on the air, and whether that is silent now.
    mutating func ended(_ handle: UInt8, byConnection: Bool) -> (Advertisement?, isSilent: Bool) {
        guard places.indices.contains(Int(handle)) else { return (nil, false) }
        let wasOn = isOn
        places[Int(handle)].isOn = false
        if byConnection { isPaused = true }
        return (places[Int(handle)].aired, wasOn && !isOn)
    }

    /// A connection came to nothing or is refused, which may have ended advertising: it is set up again.
    mutating func attemptFailed(at now: Instant) -> Outcome? {
        guard isOn || isPaused else { return nil }
        for index in places.indices where places[index].isOn { places[index].isStale = true }
        (isUntold, isPaused) = (true, false)
        return next(at: now)
    }

    /// What a connection has taken is on the air again: the connection is gone.
    mutating func goOn(at now: Instant) -> Outcome? {
        (isUntold, isPaused) = (true, false)
        return next(at: now)
    }

    /// Time has passed.
    mutating func expire(at now: Instant) -> Outcome? { next(at: now) }

    /// Takes the answer to the command that is under way.
    mutating func answered(_ status: HCIStatus, at now: Instant) -> Outcome? {
        guard let step = step.take() else { return nil }
        if case .proof(let index, _) = step { return proven(index, status, at: now) }
        // Some controllers refuse to switch off what is off already.
        let isHarmless = if case .off = step { status == .commandDisallowed } else { false }
        guard status == .success || isHarmless else { return refused(status, step, at: now) }
        switch step {
        case .off(let indices):
            for index in indices { (places[index].isOn, places[index].isStale) = (false, false) }
        case .parameters(let index): places[index].hasParameters = true
        case .address(let index, let carried): places[index].address = carried.address
        case .data(let index, let carried): places[index].data = carried.data
        case .scanResponse(let index, let carried): places[index].scanResponse = carried.scanResponse
        case .on(let placements):
            for (index, advertisement) in placements {
                (places[index].isOn, places[index].isStale, places[index].aired) = (true, false, advertisement)
            }
            turns.begun(at: now)
        case .proof: break
        }
        return next(at: now)
    }

    private mutating func refused(_ status: HCIStatus, _ step: Step, at now: Instant) -> Outcome? {
        if status == .commandDisallowed, let index = step.loading, !hasRetried, !wish.isEmpty {
            // The controller believes that it is still advertising.
            hasRetried = true
            places[index].forget()
            (places[index].isOn, places[index].isStale) = (true, true)
            return next(at: now)
        }
        for index in places.indices where !places[index].isOn || step.isOff {
            places[index].forget()
            (places[index].isOn, places[index].isStale, places[index].target) = (false, false, nil)
        }
        let wasWanted = !wish.isEmpty
        (wish, isUntold) = (wish.filter { wanted in places.contains { $0.isOn && $0.aired == wanted } }, false)
        return wasWanted ? .refused(dialect.opcode(of: step.kind), status) : .stopped
    }

    private mutating func proven(_ index: Int, _ status: HCIStatus, at now: Instant) -> Outcome? {
        // A connection that came meanwhile has taken it off the air.
        if places[index].isOn {
            switch proof.take(status, of: index) {
            case .alive: break
            case .off: places[index].isOn = false
            case .dead: return .dead
            }
        }
        return next(at: now)
    }

    // MARK: - What is next

    private mutating func next(at now: Instant) -> Outcome? {
        guard case .none = step else { return nil }
        assign(turns.choose(from: wish, places: places.count, at: now))
        let off = places.indices.filter {
            places[$0].isOn && (places[$0].isStale || places[$0].target == nil || places[$0].aired != places[$0].target)
        }
        if !off.isEmpty { return send(.off(off)) }
        if !isPaused {
            for index in places.indices where !places[index].isOn {
                if let load = places[index].load(index) { return send(load) }
            }
            let on = places.indices.compactMap { index in
                places[index].isOn ? nil : places[index].target.map { (place: index, advertisement: $0) }
            }
            if !on.isEmpty { return send(.on(on)) }
        }
        proof.watch(places.indices.filter { places[$0].isOn }, at: now)
        if isUntold {
            isUntold = false
            return isOn ? .started : .stopped
        }
        switch proof.next(at: now) {
        case .none: return nil
        case .ask(let index): return places[index].aired.flatMap { send(.proof(index, $0)) }
        case .renew:
            for index in places.indices where places[index].isOn { places[index].isStale = true }
            return next(at: now)
        }
    }

    /// Gives each of these a place; what has one keeps it.
    private mutating func assign(_ shown: [Advertisement]) {
        for index in places.indices {
            if let target = places[index].target, !shown.contains(target) { places[index].target = nil }
        }
        for advertisement in shown where !places.contains(where: { $0.target == advertisement }) {
            let free = places.indices.filter { places[$0].target == nil }
            let place = free.first { places[$0].address == advertisement.address } ?? free.first { !places[$0].isOn }
            if let place = place ?? free.first { places[place].target = advertisement }
        }
    }

    private mutating func send(_ step: Step) -> Outcome? {
        self.step = step
        switch step {
        case .off(let indices): return .send(dialect.enable(false, indices))
        case .on(let placements): return .send(dialect.enable(true, placements.map(\.place)))
        case .parameters(let index): return .send(dialect.parameters(interval, index))
        case .address(let index, let carried), .proof(let index, let carried):
            return .send(dialect.address(carried.address, index))
        case .data(let index, let carried): return .send(dialect.data(carried.data, index))
        case .scanResponse(let index, let carried): return .send(dialect.scanResponse(carried.scanResponse, index))
        }
    }
}

extension Advertiser.Place {
    /// The next part of its target that the controller has to be told.
    fileprivate func load(_ index: Int) -> Advertiser.Step? {
        guard let target else { return nil }
        if !hasParameters { return .parameters(index) }
        if address != target.address { return .address(index, target) }
        if data != target.data { return .data(index, target) }
        return scanResponse != target.scanResponse ? .scanResponse(index, target) : nil
    }
}

extension Advertiser.Step {
    fileprivate var kind: AdvertisingDialect.Kind {
        switch self {
        case .off, .on: .enable
        case .parameters: .parameters
        case .address, .proof: .address
        case .data: .data
        case .scanResponse: .scanResponse
        }
    }

    fileprivate var isOff: Bool { if case .off = self { true } else { false } }

    /// The place that it loads.
    fileprivate var loading: Int? {
        switch self {
        case .parameters(let index), .address(let index, _), .data(let index, _), .scanResponse(let index, _): index
        case .off, .on, .proof: nil
        }
    }
}
