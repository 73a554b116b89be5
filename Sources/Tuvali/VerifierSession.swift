package import Encoding

/// The verifier's side of one Tuvali session, from the advertisement to the end of the link. The session is the same in
/// both generations (``Generation``).
///
/// The session is a pure value. The host passes in events and the time, and carries out the actions in order. When
/// ``deadline`` is reached, the host passes ``SessionEvent/timer`` to ``handle(_:at:)``; a late call is harmless. Every
/// state has a deadline, so a session ends whatever the phone does. After ``SessionAction/ended(_:)`` the session has
/// no keys, and further events have no effect.
package struct VerifierSession: Sendable {
    /// The state of the session, with its data.
    enum State: Sendable {
        /// The key is advertised since the instant `since`.
        case advertising(VerifierKey, since: Instant)
        /// A phone has been connected since the instant `since`. The phone may have no wallet.
        case connected(VerifierKey, since: Instant)
        /// The session keys exist since the instant `since`. The visitor chooses a credential.
        case keyed(SecureChannel, since: Instant)
        /// Chunks are received into ``VerifierSession/transfer``.
        case receiving
        /// The application has the payload, and the verdict is awaited or notified.
        case delivered(Delivery)
        /// The session has requested the end of the link, and waits for it until `giveUpAt`.
        case dropping(SessionOutcome, giveUpAt: Instant)
        /// The session has ended.
        case ended
    }

    /// The smallest ATT MTU a wallet can work with: 64 bytes in a write.
    static let smallestMTU = 67

    var state: State
    /// The data of the state `receiving`; nil in any other state. The data is not in `state`, because adding a chunk
    /// would then copy all earlier chunks.
    var transfer: Transfer?
    let settings: SessionSettings
    /// The link's ATT MTU in bytes. The value is 23 before any exchange (Core Specification Vol 3 Part G 5.2.1).
    var attMTU = 23

    /// Creates a session that is advertised with `key` from `now` on.
    package init(key: VerifierKey, settings: SessionSettings = SessionSettings(), at now: Instant) {
        state = .advertising(key, since: now)
        self.settings = settings
    }

    /// The time of the next ``SessionEvent/timer``; nil after the end of the session.
    package var deadline: Instant? {
        switch state {
        case .advertising(_, let since): since.advanced(by: settings.keyLifetime)
        case .connected(_, let since): since.advanced(by: settings.identifyLimit)
        case .keyed(_, let since): since.advanced(by: settings.responseSizeLimit)
        case .receiving: transfer?.deadline(settings)
        case .delivered(let delivery): delivery.deadline
        case .dropping(_, let time): time
        case .ended: nil
        }
    }

    /// The statistics of the transfer; nil before the response size and after the delivery.
    package var statistics: TransferStatistics? {
        transfer?.statistics
    }

    /// The number of different chunks received; nil before the response size and after the delivery.
    package var receivedChunks: Int? { transfer?.assembler.receivedChunks }

    /// The number of encrypted bytes received; nil before the response size and after the delivery.
    package var receivedBytes: Int? {
        guard let transfer else { return nil }
        return min(transfer.assembler.receivedChunks * (transfer.assembler.maxData - 4), transfer.assembler.size)
    }

    /// An identifier of the shared secret, 16 bytes; nil before Identify and after the delivery. Sessions with equal
    /// fingerprints began with the same wallet key. Different encodings of an X25519 key give the same secret (RFC 7748
    /// section 7).
    package var fingerprint: [UInt8]? {
        switch state {
        case .keyed(let channel, _): channel.fingerprint
        case .receiving: transfer?.channel.fingerprint
        case .advertising, .connected, .delivered, .dropping, .ended: nil
        }
    }

    /// Whether the session is ending: the end of the link was requested or reported, and writes are ignored.
    package var isLeaving: Bool {
        switch state {
        case .dropping, .ended: true
        case .advertising, .connected, .keyed, .receiving, .delivered: false
        }
    }

    /// Handles one event at the instant `now`, which must not be earlier than in the preceding call. Overdue actions
    /// are carried out first.
    package mutating func handle(_ event: SessionEvent, at now: Instant) -> [SessionAction] {
        var actions: [SessionAction] = []
        runTimers(now, &actions)
        switch event {
        case .timer: break
        case .connected(let mtu): connect(mtu, now, &actions)
        case .mtuChanged(let mtu): changeMTU(mtu, now, &actions)
        case .write(let characteristic, let value): write(value, to: characteristic, now, &actions)
        case .verdict(let accepted): decide(accepted, now)
        case .cancel: cancel(now, &actions)
        case .linkLost: loseLink(&actions)
        }
        runTimers(now, &actions)
        return actions
    }

    // MARK: Events

    private mutating func connect(_ mtu: Int, _ now: Instant, _ actions: inout [SessionAction]) {
        guard case .advertising(let key, _) = state else { return }
        attMTU = mtu
        state = .connected(key, since: now)
        actions.append(.stopAdvertising)
    }

    private mutating func changeMTU(_ mtu: Int, _ now: Instant, _ actions: inout [SessionAction]) {
        switch state {
        case .connected, .keyed, .receiving, .delivered:
            attMTU = mtu
            if mtu < Self.smallestMTU { fail(.mtuTooSmall(attMTU: mtu), now, &actions) }
        case .advertising, .dropping, .ended: break
        }
    }

    private mutating func decide(_ accepted: Bool, _ now: Instant) {
        guard case .delivered(var delivery) = state else { return }
        delivery.decide(accepted, at: now)
        state = .delivered(delivery)
    }

    private mutating func cancel(_ now: Instant, _ actions: inout [SessionAction]) {
        switch state {
        case .advertising:
            actions.append(.stopAdvertising)
            end(.abandoned(.cancelled), &actions)
        case .connected, .keyed, .receiving: drop(.abandoned(.cancelled), now, &actions)
        case .delivered(let delivery): drop(.delivered(status: delivery.status), now, &actions)
        case .dropping, .ended: break
        }
    }

    private mutating func loseLink(_ actions: inout [SessionAction]) {
        switch state {
        case .connected, .keyed, .receiving: end(.abandoned(.disconnected), &actions)
        case .delivered(let delivery): end(.delivered(status: delivery.status), &actions)
        case .dropping(let outcome, _): end(outcome, &actions)
        case .advertising, .ended: break
        }
    }

    // MARK: Ways to end; each wipes the data of the state

    /// Reports an error and drops the link.
    mutating func fail(_ error: TuvaliError, _ now: Instant, _ actions: inout [SessionAction]) {
        actions.append(.failed(error))
        drop(.failed(error), now, &actions)
    }

    /// Ends the link without notifying Disconnect (characteristic 0B). The Android wallet closes its end 50 ms after a
    /// Disconnect. If the phone reports the lost link to the wallet later than 50 ms, the wallet waits forever. Every
    /// wallet notices a link that ends without a Disconnect.
    mutating func drop(_ outcome: SessionOutcome, _ now: Instant, _ actions: inout [SessionAction]) {
        actions.append(.dropLink)
        replace(.dropping(outcome, giveUpAt: now.advanced(by: settings.dropLimit)))
    }

    mutating func end(_ outcome: SessionOutcome, _ actions: inout [SessionAction]) {
        actions.append(.ended(outcome))
        replace(.ended)
    }

    /// Moves to a state that takes over no data of the present state. Released keys are zeroed.
    mutating func replace(_ next: State) {
        transfer?.wipe()
        transfer = nil
        state = next
    }
}
