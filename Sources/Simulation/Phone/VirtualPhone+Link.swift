import Encoding

/// The phone's layers between the wallet and the air: L2CAP channels (4 ATT, 5 signalling, 6 pairing; Core
/// Specification Vol 3 Part A 2.1), the GATT client, and the queue for writes.
extension VirtualPhone {
    static let attribute: UInt16 = 4
    private static let signalling: UInt16 = 5
    private static let pairing: UInt16 = 6

    mutating func sendPDU(_ payload: [UInt8], channel: UInt16) {
        outstanding += 1
        actions.append(.send([UInt8].littleEndian(UInt16(truncatingIfNeeded: payload.count), channel) + payload))
    }

    mutating func received(_ bytes: [UInt8], start: Bool) {
        guard case .connected = state else { return }
        if start != inbound.isEmpty { observe(.violation("L2CAP fragments out of order")) }
        inbound = start ? bytes : inbound + bytes
        guard inbound.count >= 4 else { return }
        let length = Int(inbound[0]) | Int(inbound[1]) << 8
        guard inbound.count >= 4 + length else { return }
        let (pdu, channel) = (Array(inbound[4...]), UInt16(inbound[2]) | UInt16(inbound[3]) << 8)
        inbound = []
        guard pdu.count == length else { return observe(.violation("an L2CAP PDU longer than its header says")) }
        switch channel {
        // Ignore the answer to a request of a siege, because the client did not send the request.
        case Self.attribute where wallet == nil && siege != nil: break
        case Self.attribute: run(client.receive(pdu, at: now))
        case Self.signalling: signal(pdu)
        case Self.pairing: if pdu.count == 2, pdu[0] == 0x05 { observe(.pairingRefused(reason: pdu[1])) }
        default: observe(.violation("an L2CAP PDU on an unknown channel"))
        }
    }

    /// Handles L2CAP signalling (4.20): grants or refuses parameter requests, and rejects other commands.
    private mutating func signal(_ pdu: [UInt8]) {
        guard pdu.count >= 4, pdu.count == 4 + Int(pdu[2]) + Int(pdu[3]) << 8 else {
            return observe(.violation("a malformed signalling packet"))
        }
        switch pdu[0] {
        case 0x12 where pdu.count == 12:
            let field = { (at: Int) in UInt16(pdu[at]) | UInt16(pdu[at + 1]) << 8 }
            let granted = traits.grant(shortest: field(4), longest: field(6), latency: field(8), timeout: field(10))
            observe(.parametersRequested(granted: granted != nil))
            sendPDU([0x13, pdu[1], 2, 0, granted == nil ? 1 : 0, 0], channel: Self.signalling)
            if let granted { actions.append(.update(granted)) }
        case 0x01: break
        default: sendPDU([0x01, pdu[1], 2, 0, 0, 0], channel: Self.signalling)
        }
    }

    mutating func completed() {
        outstanding = max(0, outstanding - 1)
        guard let held = heldWrite, outstanding < traits.writeQueue else { return }
        heldWrite = nil
        sendPDU(held.pdu, channel: Self.attribute)
        tellWritten(held.characteristic, true)
    }

    /// Passes an event to the wallet after the phone's callback time.
    mutating func tellWallet(_ event: WalletSession.Event) {
        agenda.add(.toWallet(event), at: now.advanced(by: traits.callbackTime))
    }

    private mutating func tellWritten(_ characteristic: WalletCharacteristic, _ succeeded: Bool) {
        let event = WalletSession.Event.written(characteristic, succeeded: succeeded)
        let reportTime = characteristic == .transferReportRequest ? traits.reportCallbackTime : nil
        agenda.add(.toWallet(event), at: now.advanced(by: reportTime ?? traits.writeCallbackTime))
    }

    mutating func feed(_ event: WalletSession.Event) {
        guard let actions = wallet?.handle(event, at: now) else { return }
        for action in actions {
            guard wallet != nil else { return }
            perform(action)
        }
    }

    private mutating func perform(_ action: WalletSession.Action) {
        switch action {
        case .discoverServices: run(client.request(.discover, at: now))
        case .requestMTU(let mtu): requestMTU(mtu)
        case .register(let characteristic, let isOn): register(characteristic, isOn)
        case .write(let characteristic, let value, let withResponse):
            write(characteristic, value, withResponse: withResponse)
        case .disconnect:
            if misbehaviour == .lingers {
                wallet = nil
            } else if traits.disconnectTime > .zero {
                agenda.add(.disconnect, at: now.advanced(by: traits.disconnectTime))
            } else {
                // A wallet without a deadline waits for nothing more: its visit ends at once. Any other wallet must
                // first close its end of the link.
                wallet?.deadline == nil ? leave(.left) : disconnect()
            }
        case .close:
            wallet = nil
            if pendingOutcome == .dismissed { pendingOutcome = .stuck }
        case .progress(let progress): progressed(progress)
        }
    }

    /// Ends the link from the phone's side. The wallet learns of the end unless it has closed its end.
    mutating func disconnect() {
        pendingOutcome = pendingOutcome ?? .left
        actions.append(.disconnect(reason: HCIError.remoteUserTerminated))
    }

    private mutating func requestMTU(_ mtu: Int) {
        requestsMTU += 1
        switch traits.mtu {
        case .asAsked: run(client.request(.exchangeMTU(mtu), at: now))
        case .once517: if requestsMTU == 1 { run(client.request(.exchangeMTU(517), at: now)) }
        case .automatic: break
        }
    }

    /// Registers for the values of a characteristic. Android only changes its own filter. iOS also writes 0x0002 to a
    /// CCCD.
    private mutating func register(_ characteristic: WalletCharacteristic, _ isOn: Bool) {
        if isOn { registered.insert(characteristic) } else { registered.remove(characteristic) }
        guard traits.wallet.platform == .ios, let handle = client.table.find(characteristic, generation)?.configuration
        else {
            return
        }
        run(client.request(.write(handle: handle, value: isOn ? [2, 0] : [0, 0], tag: nil), at: now))
    }

    private mutating func write(_ characteristic: WalletCharacteristic, _ value: [UInt8], withResponse: Bool) {
        guard let handle = client.table.find(characteristic, generation)?.value else {
            return tellWritten(characteristic, false)
        }
        var value = value
        if characteristic == .submitResponse, !isRepairing {
            if case .losesEvery(let step) = misbehaviour, step > 0, currentChunk.isMultiple(of: step) {
                return tellWritten(characteristic, true)
            }
            if random.happens(traits.queueLoss) { return tellWritten(characteristic, true) }
            if case .corruptsChunk(currentChunk) = misbehaviour, value.count > 4 { value[value.count / 2] ^= 0x01 }
        }
        if withResponse {
            return run(client.request(.write(handle: handle, value: value, tag: characteristic), at: now))
        }
        let pdu = [0x52] + [UInt8].littleEndian(handle) + value.prefix(client.mtu - 3)
        let isFull = outstanding >= traits.writeQueue
        if isFull, traits.wallet.chunkPause == nil {
            heldWrite = HeldWrite(characteristic: characteristic, pdu: pdu)
            return
        }
        // A phone without flow control towards the app drops PDUs that do not fit into its queue.
        if !isFull { sendPDU(pdu, channel: Self.attribute) }
        tellWritten(characteristic, true)
    }

    mutating func run(_ outputs: [GATTClient.Output]) {
        for output in outputs {
            switch output {
            case .send(let pdu): sendPDU(pdu, channel: Self.attribute)
            case .mtu(let mtu): tellWallet(.mtu(mtu))
            case .discovered:
                hasDiscovered = true
                subscribeToServiceChanged()
                let found = WalletCharacteristic.written.allSatisfy { client.table.find($0, generation) != nil }
                tellWallet(.services(found: found))
            case .answered(let characteristic, let succeeded):
                if let characteristic { tellWritten(characteristic, succeeded) }
            case .value(let handle, let value):
                guard client.table.characteristics.contains(where: { $0.value == handle }) else {
                    // The phone's stack drops values that arrive before the end of discovery, for example a Disconnect
                    // notification.
                    if hasDiscovered { observe(.violation("a value of an unknown handle")) }
                    continue
                }
                guard let characteristic = client.table.characteristic(valueHandle: handle, generation) else {
                    continue
                }
                if registered.contains(characteristic) {
                    tellWallet(.value(characteristic, value))
                } else {
                    observe(.dropped(characteristic))
                }
            case .violation(let words):
                // Ignore errors in the answers to garbage.
                if case .garbage = misbehaviour { continue }
                observe(.violation(words))
            }
        }
    }

    private mutating func subscribeToServiceChanged() {
        let found = client.table.characteristics.first { $0.uuid == GATTTable.serviceChanged }
        guard traits.subscribesToServiceChanged, let handle = found?.configuration else { return }
        run(client.request(.write(handle: handle, value: [2, 0], tag: nil), at: now))
    }

    private mutating func progressed(_ progress: WalletProgress) {
        observe(.wallet(progress))
        switch progress {
        case .identified: reached(.identified)
        case .chosen:
            isRepairing = false
            reached(.chosen)
        case .sending(let chunk, _):
            currentChunk = chunk
            reached(.chunk(chunk))
        case .reportRequested: reached(.reportRequested)
        case .resending: isRepairing = true
        case .delivered: reached(.delivered)
        case .verdict(let accepted): pendingOutcome = accepted ? .accepted : .rejected
        case .dismissed: pendingOutcome = pendingOutcome ?? .dismissed
        case .failed(let failure): pendingOutcome = .failed(failure)
        case .mtu: break
        }
    }

    /// Sends random bytes: invalid L2CAP PDUs, PDUs on the three channels and on an unknown channel, and ATT PDUs with
    /// a valid beginning.
    mutating func sendGarbage(left: Int) {
        guard left > 0 else { return leave(.left) }
        let length = Int(random.next() % 40)
        switch random.next() % 4 {
        case 0:
            outstanding += 1
            actions.append(.send(random.bytes(length + 1)))
        case 1:
            let channel = [Self.attribute, Self.signalling, Self.pairing, 0x40][Int(random.next() % 4)]
            sendPDU(random.bytes(length), channel: channel)
        default:
            let opcodes: [UInt8] = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x1E, 0x52, 0xD2]
            let opcode = opcodes[Int(random.next() % UInt64(opcodes.count))]
            let handle = UInt16(random.next() % 40)
            sendPDU([opcode] + [UInt8].littleEndian(handle) + random.bytes(length), channel: Self.attribute)
        }
        agenda.add(.garbage(left: left - 1), at: now.advanced(by: .milliseconds(5)))
    }
}
