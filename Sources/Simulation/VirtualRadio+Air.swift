import Encoding

/// The air between the controller and the phones: advertising, connection establishment, and the links.
extension VirtualRadio {
    mutating func perform(_ action: VirtualController.Action, at now: Instant) {
        switch action {
        case .toHost(let packet): report(.toHost(packet))
        case .violation(let violation): report(.violation(violation))
        case .air(let command): perform(command, at: now)
        }
    }

    private mutating func perform(_ command: VirtualController.AirCommand, at now: Instant) {
        switch command {
        case .advertise(let new, let set):
            advertisers[set] = new
            newOnAir.insert(set)
        case .send(let handle, let bytes, let start):
            links[handle]?.link.send(bytes, start: start, from: .peripheral, at: now)
        case .terminate(let handle, let reason):
            links[handle]?.link.terminate(reason: reason, from: .peripheral, at: now)
        case .negotiateDataLength(let handle, let transmit):
            agreePayload(handle, transmit: transmit, at: now)
        case .negotiatePHY(let handle, let prefers2M):
            guard let visit = links[handle]?.visit else { return }
            let phy: PHY = prefers2M && visits[visit].phone.supports2M ? .le2M : .le1M
            links[handle]?.link.change(.phy(phy), afterIntervals: 6, at: now)
        case .requestParameters(let handle, let wanted):
            guard let visit = links[handle]?.visit else { return }
            let granted = visits[visit].phone.grant(
                shortest: wanted.interval, longest: wanted.interval, latency: wanted.latency, timeout: wanted.timeout)
            if let granted { links[handle]?.link.change(.parameters(granted), afterIntervals: 6, at: now) }
        case .dropAll:
            for handle in links.keys { links[handle]?.link.fallSilent(at: now) }
        }
    }

    mutating func perform(_ action: VirtualPhone.Action, of number: Int, at now: Instant) {
        let handle = active[number]?.handle
        switch action {
        case .connect(let address):
            active[number]?.wants = (address, now.advanced(by: visits[number].phone.reaction))
        case .cancelConnecting: active[number]?.wants = nil
        case .send(let pdu): if let handle { links[handle]?.link.send(pdu, start: true, from: .central, at: now) }
        case .update(let parameters):
            if let handle { links[handle]?.link.change(.parameters(parameters), afterIntervals: 6, at: now) }
        case .disconnect(let reason):
            if let handle { links[handle]?.link.terminate(reason: reason, from: .central, at: now) }
        case .vanish: if let handle { links[handle]?.link.fallSilent(at: now) }
        case .abandon:
            if let handle { links[handle]?.link.fallSilent(at: now) }
            active[number]?.handle = nil
        case .gag: if let handle { links[handle]?.link.gag() }
        case .observed(let event):
            report(.observed(visit: number, event))
            if case .finished(let outcome) = event { finished(number, outcome, at: now) }
        }
    }

    /// Schedules advertising events, but only while a phone listens.
    mutating func scheduleAdvertising(at now: Instant) {
        let isHeard = active.values.contains { $0.phone.isScanning || $0.wants != nil }
        nextAdvertisements = nextAdvertisements.filter { isHeard && advertisers[$0.key] != nil }
        guard isHeard else { return }
        for (set, advertiser) in advertisers.sorted(by: { $0.key < $1.key }) where nextAdvertisements[set] == nil {
            // Delay each event by 0 to 10 ms in addition to the interval (Vol 6 Part B 4.4.2.2.1).
            let delay = Duration.microseconds(Int64(random.next() % 10_000))
            let begins = newOnAir.remove(set) == nil ? nil : controller.traits.advertisingStart
            nextAdvertisements[set] = now.advanced(by: begins ?? advertiser.interval + delay)
        }
    }

    /// Simulates one advertising event. One phone that waits for the advertiser's address connects, and scanning phones
    /// may hear the event.
    mutating func advertise(_ set: UInt8, at now: Instant) {
        nextAdvertisements[set] = nil
        guard let advertiser = advertisers[set], !random.happens(interference) else { return }
        var callers: [Int] = []
        for number in active.keys.sorted() {
            guard let one = active[number], random.happens(visits[number].phone.hearing) else { continue }
            if let wants = one.wants, wants.address == advertiser.address, wants.from <= now { callers.append(number) }
            guard one.phone.isScanning else { continue }
            // A phone with a code may receive other verifiers, too. A phone that besieges a gate receives only that
            // gate.
            if one.phone.hasCode, !neighbours.isEmpty, let other = neighbours.randomElement(using: &random) {
                work.append(.phone(number, .heard(other)))
            }
            work.append(.phone(number, .heard(advertiser)))
        }
        guard controller.mayConnect else { return }
        if let caller = callers.count > 1 ? callers.randomElement(using: &random) : callers.first {
            connect(caller, to: set, at: now)
        }
    }

    private mutating func connect(_ number: Int, to set: UInt8, at now: Instant) {
        // A controller never uses a handle for two links at the same time.
        while links[nextHandle] != nil { nextHandle = nextHandle >= 0x0EFF ? 0x0040 : nextHandle + 1 }
        let handle = nextHandle
        nextHandle = nextHandle >= 0x0EFF ? 0x0040 : nextHandle + 1
        let phone = visits[number].phone
        let first = now.advanced(by: .microseconds(2_500 + Int64(random.next() % 10) * 1250))
        let link = Link(
            parameters: phone.parameters, packetsPerEvent: phone.packetsPerEvent, loss: phone.loss,
            random: random.fork(), anchor: first)
        links[handle] = (link, number)
        active[number]?.wants = nil
        active[number]?.handle = handle
        advertisers[set] = nil
        var address = random.bytes(6)
        // The two highest bits of a resolvable private address are 01 (Vol 6 Part B 1.3.2.2).
        if let top = address.popLast() { address.append(top & 0x3F | 0x40) }
        let peer = DeviceAddress(bytes: address, isRandom: true)
        work.append(.controller(.air(.connected(handle: handle, peer: peer, parameters: phone.parameters, set: set))))
        work.append(.phone(number, .connected))
        if phone.dataLength > 27, controller.traits.supportsDataLength {
            agreePayload(handle, transmit: Int(controller.suggestedLength.octets), at: now)
        }
    }

    /// Simulates the data length procedure, which settles both directions. Each length is the lesser of the sender's
    /// length and the receiver's length (Vol 6 Part B 5.1.9).
    private mutating func agreePayload(_ handle: UInt16, transmit: Int, at now: Instant) {
        guard let visit = links[handle]?.visit else { return }
        let size = controller.traits.supportsDataLength ? visits[visit].phone.dataLength : 27
        let change = Link.Change.payload(toCentral: min(transmit, size), toPeripheral: size)
        links[handle]?.link.change(change, afterIntervals: 1, at: now)
    }

    mutating func advanceLink(_ handle: UInt16, to now: Instant) {
        guard let visit = links[handle]?.visit, let outputs = links[handle]?.link.advance(to: now) else { return }
        for output in outputs { carry(output, handle, visit) }
    }

    private mutating func carry(_ output: Link.Output, _ handle: UInt16, _ visit: Int) {
        switch output {
        case .delivered(.central, let bytes, let start):
            work.append(.controller(.air(.received(handle: handle, bytes: bytes, start: start))))
        case .delivered(.peripheral, let bytes, let start):
            work.append(.phone(visit, .received(bytes: bytes, start: start)))
        case .completed(.central): work.append(.phone(visit, .completed))
        case .completed(.peripheral): work.append(.controller(.air(.completed(handle: handle))))
        case .changed(let change): work.append(.controller(.air(.changed(handle: handle, change))))
        case .terminated(let side, let reason):
            let (host, phone) =
                side == .central ? (reason, HCIError.localHostTerminated) : (HCIError.localHostTerminated, reason)
            drop(handle, visit, host: host, phone: phone)
        case .lost: drop(handle, visit, host: HCIError.connectionTimeout, phone: HCIError.connectionTimeout)
        }
    }

    private mutating func drop(_ handle: UInt16, _ visit: Int, host: UInt8, phone: UInt8) {
        links[handle] = nil
        work.append(.controller(.air(.disconnected(handle: handle, reason: host))))
        // A phone that has abandoned the link is not notified of its end.
        guard active[visit]?.handle == handle else { return }
        active[visit]?.handle = nil
        work.append(.phone(visit, .disconnected(reason: phone)))
    }
}
