package import Encoding

/// A visitor's phone. It reads the QR code, scans, connects, and transports a wallet's data over L2CAP and ATT. Only
/// its actions affect the air.
package struct VirtualPhone: Sendable {
    /// An event for the phone.
    package enum Event: Sendable {
        /// The person arrives at the gate.
        case arrived
        /// The display now shows the given QR text, or none (nil).
        case invitation(String?)
        /// The phone received an advertising event with its scan response.
        case heard(Advertiser)
        /// The requested connection is established.
        case connected
        /// A data packet arrived. `start`: whether it is the first packet of an L2CAP PDU.
        case received(bytes: [UInt8], start: Bool)
        /// The peer has acknowledged one L2CAP PDU of the phone.
        case completed
        /// The link has ended with the error code `reason`.
        case disconnected(reason: UInt8)
        /// The phone's deadline has passed.
        case timer
    }

    /// An action of the phone.
    package enum Action: Equatable, Sendable {
        /// Connect to the given address as soon as it advertises.
        case connect(DeviceAddress)
        /// Stop trying to connect.
        case cancelConnecting
        /// Send the given L2CAP PDU.
        case send([UInt8])
        /// Change the connection parameters to the given parameters.
        case update(ConnectionParameters)
        /// End the link with the error code `reason`.
        case disconnect(reason: UInt8)
        /// Go out of range: the link falls silent.
        case vanish
        /// Abandon the link without a termination: the link falls silent, and the phone is free for another link.
        case abandon
        /// Stop acknowledging packets on the link from now on.
        case gag
        /// Report the given observation to the script.
        case observed(PhoneEvent)
    }

    enum Scheduled: Sendable {
        case scan
        case reread
        case connectTimeout
        case toWallet(WalletSession.Event)
        case garbage(left: Int)
        case impatience
        case disconnect
        case linkLoss(reason: UInt8)
        case abandon
        case gag(requests: Int, every: Duration)
    }

    /// An ATT Read Request for the device name, for sieges.
    static let question: [UInt8] = [0x0A, 3, 0]

    enum State: Sendable {
        case absent
        case waitingForCode
        case scanning(WalletInvitation?)
        case connecting(verifierKey: [UInt8])
        case connected
        case ended
    }

    struct HeldWrite: Sendable {
        var characteristic: WalletCharacteristic
        var pdu: [UInt8]
    }

    /// The simulated properties of the phone.
    package let traits: PhoneTraits
    let submission: WalletSubmission
    let misbehaviour: Misbehaviour?
    var state = State.absent
    var invitation: String?
    var wallet: WalletSession?
    var client = GATTClient()
    var registered: Set<WalletCharacteristic> = []
    var pendingOutcome: VisitOutcome?
    var outstanding = 0
    var heldWrite: HeldWrite?
    var requestsMTU = 0
    /// Whether the phone has discovered the verifier's services.
    var hasDiscovered = false
    var currentChunk = 0
    var isRepairing = false
    var inbound: [UInt8] = []
    var random: SplitMix64
    var agenda = EventQueue<Scheduled>()
    var actions: [Action] = []
    var now = Instant.zero
    private var givesUp: Instant?
    /// Whether the link has ended and the wallet has not been informed yet.
    private var isLinkLost = false

    /// Creates a phone before its arrival. `submission`: the data that its wallet will send.
    package init(
        traits: PhoneTraits, submission: WalletSubmission, misbehaviour: Misbehaviour? = nil, seed: UInt64 = 1
    ) {
        self.traits = traits
        self.submission = submission
        self.misbehaviour = misbehaviour
        random = SplitMix64(seed: seed)
    }

    /// The next instant at which the phone acts without an event from outside; nil if there is none.
    package var deadline: Instant? {
        [agenda.deadline, wallet?.deadline, client.deadline].compactMap { $0 }.min()
    }

    /// Whether the phone scans for advertisements.
    var isScanning: Bool { if case .scanning = state { true } else { false } }

    /// Whether the phone scans for the verifier of a code that it has read.
    var hasCode: Bool { if case .scanning(.some) = state { true } else { false } }

    /// Whether the visit has ended.
    package var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Handles one event and returns the actions.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        self.now = now
        if !hasEnded { dispatch(event) }
        defer { actions = [] }
        return actions
    }

    private mutating func dispatch(_ event: Event) {
        switch event {
        case .arrived:
            guard case .absent = state else { return }
            observe(.arrived)
            state = .waitingForCode
            let end = now.advanced(by: traits.patience)
            givesUp = end
            agenda.add(.impatience, at: end)
            readCode()
        case .invitation(let text):
            // A phone that has read a code keeps using it.
            invitation = text
            if case .waitingForCode = state { readCode() }
        case .heard(let advertiser): heard(advertiser)
        case .connected: connected()
        case .received(let bytes, let start): received(bytes, start: start)
        case .completed: completed()
        case .disconnected(let reason): disconnected(reason)
        case .timer: timer()
        }
    }

    private mutating func timer() {
        while let item = agenda.take(dueBy: now) {
            switch item {
            case .scan: scan()
            case .reread: if case .scanning = state { readCode() }
            case .connectTimeout:
                guard case .connecting = state else { continue }
                actions.append(.cancelConnecting)
                readCode()
            case .toWallet(let event): feed(event)
            case .garbage(let left): sendGarbage(left: left)
            case .impatience: leave(.left)
            case .disconnect: disconnect()
            case .linkLoss(let reason): receivedDisconnect(reason)
            case .abandon:
                actions.append(.abandon)
                comeAgain()
            case .gag(let requests, let every):
                actions.append(.gag)
                for _ in 0..<requests { sendPDU(Self.question, channel: Self.attribute) }
                agenda.add(.abandon, at: now.advanced(by: every))
            }
            if hasEnded { return }
        }
        if let due = wallet?.deadline, due <= now { feed(.timer) }
        if let due = client.deadline, due <= now {
            observe(.violation("no answer to an ATT request within 30 s"))
            leave(.failed(.other))
        }
    }

    /// Simulates that the person holds the phone to the display, if a code is shown and there is no link yet.
    private mutating func readCode() {
        switch state {
        case .waitingForCode, .scanning, .connecting:
            if case .connecting = state { actions.append(.cancelConnecting) }
            state = .waitingForCode
            if siege != nil {
                state = .scanning(nil)
            } else if invitation != nil {
                agenda.add(.scan, at: now.advanced(by: traits.codeReading))
            }
        case .absent, .connected, .ended: break
        }
    }

    var generation: WalletGeneration { traits.wallet.generation }

    var siege: Siege? { if case .besieges(let siege) = misbehaviour { siege } else { nil } }

    private mutating func scan() {
        guard case .waitingForCode = state, let invitation else { return }
        guard WalletInvitation.isAcceptedByApp(invitation),
            let read = WalletInvitation(invitation, platform: traits.wallet.platform), read.isValid
        else {
            observe(.wallet(.failed(.invitation)))
            return finish(.failed(.invitation))
        }
        observe(.scanning(name: read.name ?? ""))
        state = .scanning(read)
        agenda.add(.reread, at: now.advanced(by: traits.rereading))
    }

    private mutating func heard(_ advertiser: Advertiser) {
        guard case .scanning(let invitation) = state,
            let key = invitation.map({ WalletScan.match(advertiser, $0, generation) })
                ?? WalletScan.anyKey(advertiser, generation)
        else { return }
        observe(.found)
        state = .connecting(verifierKey: key)
        actions.append(.connect(advertiser.address))
        agenda.add(.connectTimeout, at: now.advanced(by: traits.connectTime))
    }

    private mutating func connected() {
        guard case .connecting(let key) = state else { return }
        state = .connected
        observe(.connected)
        reached(.connected)
        guard case .connected = state, misbehaviour != .silent, siege != .silent else { return }
        switch siege {
        case .storm: return actions.append(.disconnect(reason: HCIError.remoteUserTerminated))
        case .ghost(let every):
            actions.append(.vanish)
            return agenda.add(.abandon, at: now.advanced(by: every))
        case .gag(let requests, let after, let every):
            if after > .zero { sendPDU(Self.question, channel: Self.attribute) }
            return agenda.add(.gag(requests: requests, every: every), at: now.advanced(by: after))
        case .silent, .identified, .drips, .bursts, .shares, nil: break
        }
        if case .garbage(let packets) = misbehaviour {
            return agenda.add(.garbage(left: packets), at: now.advanced(by: .milliseconds(20)))
        }
        if misbehaviour == .pairs { sendPDU([0x01, 0x03, 0x00, 0x01, 0x10, 0x00, 0x00], channel: 6) }
        var startsOver = 0
        if case .startsOver(let times) = misbehaviour { startsOver = times }
        wallet = WalletSession(
            manner: manner, submission: freshSubmission(), verifierKey: key,
            repeatsTransfer: misbehaviour == .secondTransfer, startsOver: startsOver)
        if case .automatic(let mtu) = traits.mtu { run(client.request(.exchangeMTU(mtu), at: now)) }
        tellWallet(.connected)
    }

    /// Returns the data that the wallet sends. A gate refuses a repeated wallet key, so a besieging phone uses another
    /// key each time.
    private mutating func freshSubmission() -> WalletSubmission {
        guard siege != nil, case .seal(let record, _, _) = submission else { return submission }
        return .sealing(record, seed: random.next())
    }

    /// The behaviour of the phone's wallet. In most sieges the wallet keeps the link without sending its data.
    private var manner: WalletBehaviour {
        var manner = traits.wallet
        switch siege {
        case .identified: manner.choosing = .seconds(86_400)
        case .drips(let every): (manner.choosing, manner.chunkPause) = (.zero, every)
        case .bursts(let chunks, let every):
            (manner.choosing, manner.chunkPause, manner.chunksAhead) = (.zero, every, chunks)
        case .shares: manner.choosing = .zero
        case .silent, .storm, .ghost, .gag, nil: break
        }
        return manner
    }

    private mutating func disconnected(_ reason: UInt8) {
        guard case .connected = state else { return }
        guard traits.lossTime > .zero, !isLinkLost else { return receivedDisconnect(reason) }
        isLinkLost = true
        agenda.add(.linkLoss(reason: reason), at: now.advanced(by: traits.lossTime))
    }

    /// Informs the wallet of the link's end, unless the wallet has closed its end.
    private mutating func receivedDisconnect(_ reason: UInt8) {
        isLinkLost = false
        observe(.disconnected(reason: reason))
        if siege != nil, pendingOutcome != .left { return comeAgain() }
        finish(pendingOutcome ?? (reason == HCIError.connectionTimeout ? .lost : .dismissed))
    }

    /// Scans for the verifier again, as if the phone had never been connected.
    private mutating func comeAgain() {
        fallQuiet()
        (state, pendingOutcome, inbound, outstanding, heldWrite) = (.waitingForCode, nil, [], 0, nil)
        (client, registered, requestsMTU, hasDiscovered) = (GATTClient(), [], 0, false)
        agenda.add(.impatience, at: givesUp ?? now)
        readCode()
    }

    mutating func observe(_ event: PhoneEvent) { actions.append(.observed(event)) }

    /// Ends the visit from the phone, in any state.
    mutating func leave(_ outcome: VisitOutcome) {
        pendingOutcome = pendingOutcome ?? outcome
        switch state {
        case .connected where isLinkLost: finish(outcome)
        case .connected:
            fallQuiet()
            actions.append(.disconnect(reason: HCIError.remoteUserTerminated))
        case .connecting:
            actions.append(.cancelConnecting)
            finish(outcome)
        default: finish(outcome)
        }
    }

    /// Stops all activity of the phone.
    private mutating func fallQuiet() {
        wallet = nil
        client.abandon()
        agenda.clear()
    }

    /// Performs the script's misbehaviour for the step `step`.
    mutating func reached(_ step: VisitStep) {
        switch misbehaviour {
        case .leaves(let moment) where moment == step: leave(.left)
        case .vanishes(let moment) where moment == step:
            actions.append(.vanish)
            fallQuiet()
            pendingOutcome = .left
        default: break
        }
    }

    private mutating func finish(_ outcome: VisitOutcome) {
        state = .ended
        fallQuiet()
        observe(.finished(outcome))
    }
}
