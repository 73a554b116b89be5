import Encoding

/// Keeps the advertisements on the air equal to the requested advertisements. Each advertising place of the controller
/// shows one advertisement.
///
/// A controller with legacy commands has one place; a controller with advertising sets has a place for each set
/// (``AdvertisingDialect``). The difference between the requested and the actual state determines the next command. An
/// advertisement that is no longer requested is switched off. A missing advertisement is loaded while its place is off,
/// and then the place is switched on. Phones assemble the key from address, advertisement and scan response, so a
/// mixture of two advertisements must never be visible (iOS wallets crash on a scan response without its
/// advertisement).
///
/// ``AdvertisingProof`` checks whether the controller really advertises.
struct Advertiser: Sendable {
    /// The advertiser's next command or report.
    enum Outcome: Equatable, Sendable {
        /// The next command to send to the controller.
        case send(HCICommand)
        /// The advertisements last requested are on the air.
        case started
        /// No advertisement is on the air, as requested.
        case stopped
        /// The controller refused the given command with the given status. Until the next request, only the
        /// advertisements that are already on the air remain.
        case refused(HCIOpcode, HCIStatus)
        /// The controller accepts every command but does not advertise.
        case dead
    }

    /// The unanswered command, with the advertising places that it concerns.
    fileprivate enum Step {
        case off([Int])
        case parameters(Int)
        case address(Int, Advertisement)
        case data(Int, Advertisement)
        case scanResponse(Int, Advertisement)
        case on([(place: Int, advertisement: Advertisement)])
        case proof(Int, Advertisement)
    }

    /// An advertising place of the controller.
    fileprivate struct Place {
        var hasParameters = false
        /// The data that the controller has stored for the place. After a link, advertising can resume without sending
        /// the data again.
        var address: DeviceAddress?
        var data: [UInt8]?
        var scanResponse: [UInt8]?
        /// The advertisement to show in this place; nil: none.
        var target: Advertisement?
        var isOn = false
        /// The last advertisement on the air in this place; nil: none so far.
        var aired: Advertisement?
        /// Whether to switch the place off and on again because it may already be off.
        var isStale = false

        mutating func forget() { (address, data, scanResponse) = (nil, nil, nil) }
    }

    /// Advertising interval, in units of 0.625 ms.
    private let interval: ClosedRange<UInt16>
    private let dialect: AdvertisingDialect
    private var places: [Place]
    private var wish: [Advertisement] = []
    private var turns: AdvertisingTurns
    private var proof: AdvertisingProof
    private var step: Step?
    /// Whether the result of the last request must still be reported.
    private var isUntold = false
    /// Whether advertising is suspended because a phone has connected to the advertisement of a place. The host's
    /// owner then requests advertising again if the gate has room for another phone.
    private var isPaused = false
    /// Whether the controller has refused, since the last request, to load a place that should be off.
    private var hasRetried = false

    /// Creates an advertiser with nothing on the air, for a controller that accepts the commands of `dialect`.
    init(_ configuration: HostConfiguration, _ dialect: AdvertisingDialect) {
        (interval, self.dialect) = (configuration.advertisingInterval, dialect)
        turns = AdvertisingTurns(length: configuration.advertisingTurn)
        proof = AdvertisingProof(every: configuration.advertisingProof, renewal: configuration.advertisingRenewal)
        places = Array(repeating: Place(), count: dialect.places)
    }

    /// Whether phones can see the gate, as far as the host knows.
    var isOn: Bool { places.contains(where: \.isOn) }

    /// Whether the controller reports, in a separate event, the advertisement to which a phone has connected.
    var namesConnections: Bool { dialect != .legacy }

    /// The number of times that the controller did not advertise although it should have.
    var lapses: Int { proof.lapses }

    /// The time at which another advertisement takes over a shared place, or at which the next proof is due; nil if
    /// there is no such time.
    var deadline: Instant? {
        guard case .none = step, isOn else { return nil }
        return [turns.end, proof.due].compactMap { $0 }.min()
    }

    // MARK: - Requests and events

    /// Requests that exactly these advertisements be shown, the most important first. An empty list ends advertising.
    /// An unfinished change continues towards the new goal.
    mutating func want(_ advertisements: [Advertisement], at now: Instant) -> Outcome? {
        (wish, isUntold, isPaused, hasRetried) = (advertisements, true, false, false)
        return next(at: now)
    }

    /// Notes a connection, which ends legacy advertising (Core Specification Vol 6 Part B 4.4.2.4), and cancels the
    /// advertisements that are not on the air yet. Returns the advertisement to which the phone connected, and whether
    /// the connection took the last advertisement off the air. `isSilent` is false while a command is unanswered.
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

    /// Notes the end of a set, by a connection or without a request of the host. Returns the advertisement of the set,
    /// and whether it was the last advertisement on the air.
    mutating func ended(_ handle: UInt8, byConnection: Bool) -> (Advertisement?, isSilent: Bool) {
        guard places.indices.contains(Int(handle)) else { return (nil, false) }
        let wasOn = isOn
        places[Int(handle)].isOn = false
        if byConnection { isPaused = true }
        return (places[Int(handle)].aired, wasOn && !isOn)
    }

    /// Notes that a connection failed or was refused. The attempt may have ended advertising, so advertising is set up
    /// again.
    mutating func attemptFailed(at now: Instant) -> Outcome? {
        guard isOn || isPaused else { return nil }
        for index in places.indices where places[index].isOn { places[index].isStale = true }
        (isUntold, isPaused) = (true, false)
        return next(at: now)
    }

    /// Resumes the advertisement that an ended connection took off the air.
    mutating func goOn(at now: Instant) -> Outcome? {
        (isUntold, isPaused) = (true, false)
        return next(at: now)
    }

    /// Carries out the actions that are due at `now`.
    mutating func expire(at now: Instant) -> Outcome? { next(at: now) }

    /// Handles the answer to the outstanding command.
    mutating func answered(_ status: HCIStatus, at now: Instant) -> Outcome? {
        guard let step = step.take() else { return nil }
        if case .proof(let index, _) = step { return proven(index, status, at: now) }
        // Some controllers refuse to switch off an advertisement that is already off.
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
            // The controller believes that the place is still on: switch the place off, and load it again.
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
        // Ignore the answer if a new connection has taken the place off the air.
        if places[index].isOn {
            switch proof.take(status, of: index) {
            case .alive: break
            case .off: places[index].isOn = false
            case .dead: return .dead
            }
        }
        return next(at: now)
    }

    // MARK: - The next command

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

    /// Assigns a place to each advertisement of `shown`. An advertisement with a place keeps the place.
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
    /// Returns the step that loads the next missing part of the target; nil if the controller has stored all parts.
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

    /// The place that the step loads; nil for a step of another kind.
    fileprivate var loading: Int? {
        switch self {
        case .parameters(let index), .address(let index, _), .data(let index, _), .scanResponse(let index, _): index
        case .off, .on, .proof: nil
        }
    }
}
