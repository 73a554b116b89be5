package import Encoding

/// The wallet's side of one hand-over of a credential by Tuvali. It behaves like the Android or the iOS library and
/// uses a phone's Bluetooth interface. Only events and actions connect it with the phone, so recorded sessions can be
/// replayed.
package struct WalletSession: Sendable {
    /// An event from the phone.
    package enum Event: Equatable, Sendable {
        /// The link is established. On iOS the MTU is known before the first write (event `mtu`).
        case connected
        /// Service discovery ended. `found`: whether the service and all characteristics that the wallet writes exist.
        case services(found: Bool)
        /// An MTU exchange ended with the given MTU in bytes; nil for a refusal.
        case mtu(Int?)
        /// A write to the given characteristic was accepted (without response) or answered (with response).
        case written(WalletCharacteristic, succeeded: Bool)
        /// A notification or indication arrived, for which the wallet is registered.
        case value(WalletCharacteristic, [UInt8])
        /// The link has ended.
        case disconnected
        /// The wallet's deadline has passed.
        case timer
    }

    /// A request of the wallet to the phone.
    package enum Action: Equatable, Sendable {
        /// Discover the Tuvali service and its characteristics.
        case discoverServices
        /// Start an MTU exchange with the given MTU in bytes.
        case requestMTU(Int)
        /// Start (true) or stop (false) passing values of the given characteristic to the wallet. The phone decides
        /// about writing a CCCD.
        case register(WalletCharacteristic, Bool)
        /// Write the given value to the characteristic.
        case write(WalletCharacteristic, [UInt8], withResponse: Bool)
        /// End the connection.
        case disconnect
        /// Close the wallet's end of the connection. The wallet receives no further events of the connection.
        case close
        /// Show the given progress to the user.
        case progress(WalletProgress)
    }

    private enum State: Sendable {
        case idle
        case discovering(retries: Int, again: Instant?)
        case negotiating(attempt: Int, until: Instant, result: Int?)
        case identifying
        case choosing(until: Instant)
        case sizing
        case sending(next: Int, due: Instant?)
        case repairing(missing: [Int], index: Int, due: Instant?)
        case requesting(tries: Int, due: Instant?)
        case awaitingReport
        case awaitingVerdict
        case leaving(at: Instant)
        case closing(at: Instant)
        case finished
    }

    private let manner: WalletBehaviour
    private let submission: WalletSubmission
    private let verifierKey: [UInt8]
    private let repeatsTransfer: Bool
    private var startsOver: Int
    private var state = State.idle
    private var mtu = 23
    private var mtuFailed = false
    private var encrypted: [UInt8] = []
    private var chunks: WalletChunks?
    private var failureFrames = 0
    private var transfers = 0
    private var actions: [Action] = []

    /// Creates a wallet that will connect to the verifier with the public key `verifierKey` (32 bytes, from the
    /// advertisement).
    ///
    /// `repeatsTransfer`: whether the wallet violates the protocol by a second transfer after SUCCESS. `startsOver`:
    /// how often size and chunks are sent again before the report request.
    package init(
        manner: WalletBehaviour, submission: WalletSubmission, verifierKey: [UInt8], repeatsTransfer: Bool = false,
        startsOver: Int = 0
    ) {
        self.manner = manner
        self.submission = submission
        self.verifierKey = verifierKey
        self.repeatsTransfer = repeatsTransfer
        self.startsOver = startsOver
    }

    /// The next instant at which the wallet acts without an event from outside; nil if there is none.
    package var deadline: Instant? {
        switch state {
        case .discovering(_, let again): again
        case .negotiating(_, let until, _), .choosing(let until), .leaving(let until),
            .closing(let until):
            until
        case .sending(_, let due), .repairing(_, _, let due), .requesting(_, let due): due
        default: nil
        }
    }

    /// Handles one event and returns the actions.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .connected: connected()
        case .services(let found): discovered(found, now)
        case .mtu(let result): negotiated(result)
        case .written(let characteristic, let succeeded): written(characteristic, succeeded, now)
        case .value(let characteristic, let value): received(characteristic, value, now)
        case .disconnected: state = .finished
        case .timer: if let deadline, deadline <= now { timer(now) }
        }
        defer { actions = [] }
        return actions
    }

    private mutating func connected() {
        guard case .idle = state else { return }
        state = .discovering(retries: 0, again: nil)
        actions.append(.discoverServices)
    }

    private mutating func discovered(_ found: Bool, _ now: Instant) {
        guard case .discovering(let retries, _) = state else { return }
        if !found {
            guard retries < manner.discoveryRetries.count else { return fail(.service, now) }
            state = .discovering(retries: retries + 1, again: now.advanced(by: manner.discoveryRetries[retries]))
        } else if manner.mtuLadder.isEmpty {
            guard min(mtu - 3, 509) >= 64 else { return fail(.mtu, now) }
            for characteristic in [WalletCharacteristic.transferReportResponse, .verificationStatus, .disconnect] {
                actions.append(.register(characteristic, true))
            }
            identify(now)
        } else {
            requestMTU(0, now)
        }
    }

    private mutating func requestMTU(_ attempt: Int, _ now: Instant) {
        state = .negotiating(attempt: attempt, until: now.advanced(by: manner.mtuWait), result: nil)
        actions.append(.requestMTU(manner.mtuLadder[attempt]))
    }

    private mutating func negotiated(_ result: Int?) {
        if let result { mtu = result } else { mtuFailed = true }
        if case .negotiating(let attempt, let until, _) = state {
            state = .negotiating(attempt: attempt, until: until, result: result)
        }
    }

    private mutating func timer(_ now: Instant) {
        switch state {
        case .discovering(let retries, _):
            state = .discovering(retries: retries, again: nil)
            actions.append(.discoverServices)
        case .negotiating(let attempt, _, let result):
            if mtuFailed { return fail(.mtu, now) }
            // Like the library, accept only exactly the requested MTU. 517 counts as 512.
            if let result, min(result, 512) == manner.mtuLadder[attempt] {
                actions.append(.register(.disconnect, true))
                identify(now)
            } else if attempt + 1 < manner.mtuLadder.count {
                requestMTU(attempt + 1, now)
            } else {
                fail(.mtu, now)
            }
        case .choosing: submit()
        case .sending, .repairing: sendNext(now)
        case .requesting(let tries, _): requestReport(tries: tries)
        case .leaving:
            state = .finished
            actions.append(.disconnect)
        case .closing:
            state = .finished
            actions.append(.close)
        default: break
        }
    }

    private mutating func identify(_ now: Instant) {
        guard let prepared = submission.prepare(for: verifierKey) else { return fail(.other, now) }
        encrypted = prepared.encrypted
        state = .identifying
        actions.append(.progress(.mtu(mtu)))
        write(.identify, prepared.identify, withResponse: manner.writesWithResponse)
    }

    private mutating func submit() {
        state = .sizing
        chunks = WalletChunks(encrypted, maxDataBytes: min(mtu, 512) - 3)
        var size: [UInt8] = []
        size.appendBE(UInt32(truncatingIfNeeded: encrypted.count))
        actions.append(.progress(.chosen(encryptedBytes: encrypted.count)))
        write(.responseSize, size, withResponse: manner.writesWithResponse)
    }

    private mutating func written(_ characteristic: WalletCharacteristic, _ succeeded: Bool, _ now: Instant) {
        switch (state, characteristic) {
        case (.identifying, .identify):
            guard succeeded else { return fail(.other, now) }
            actions.append(.progress(.identified))
            state = .choosing(until: now.advanced(by: manner.choosing))
        case (.sizing, .responseSize):
            guard succeeded else { return fail(.other, now) }
            state = .sending(next: 1, due: nil)
            sendNext(now)
        case (.sending(_, nil), .submitResponse), (.repairing(_, _, nil), .submitResponse): sendNext(now)
        case (.requesting(let tries, _), .transferReportRequest):
            if succeeded {
                registerForReport()
            } else if tries < 5, manner.writesWithResponse {
                state = .requesting(tries: tries + 1, due: now.advanced(by: .milliseconds(20)))
            } else if !manner.writesWithResponse {
                fail(.retries, now)
            }
        default: break
        }
    }

    /// Sends the next chunk of the first pass or of a repair round. After the last chunk, requests the report.
    private mutating func sendNext(_ now: Instant) {
        let due = manner.chunkPause.map { now.advanced(by: $0) }
        switch state {
        case .sending(let next, _):
            guard let chunks, let chunk = chunks[next] else { return requestReport(tries: 0) }
            let isAhead = next < manner.chunksAhead
            state = .sending(next: next + 1, due: isAhead ? now.advanced(by: .milliseconds(20)) : due)
            actions.append(.progress(.sending(chunk: next, total: chunks.count)))
            write(.submitResponse, chunk, withResponse: false)
        case .repairing(let missing, let index, _):
            guard index < missing.count else { return requestReport(tries: 0) }
            state = .repairing(missing: missing, index: index + 1, due: due)
            // Skip a chunk that does not exist. The real library would read it from its buffer without a check.
            guard let chunk = chunks?[missing[index]] else { return sendNext(now) }
            write(.submitResponse, chunk, withResponse: manner.writesWithResponse)
        default: break
        }
    }

    private mutating func requestReport(tries: Int) {
        if startsOver > 0 {
            startsOver -= 1
            return submit()
        }
        state = .requesting(tries: tries, due: nil)
        if tries == 0 { actions.append(.progress(.reportRequested)) }
        write(.transferReportRequest, [1], withResponse: manner.writesWithResponse)
    }

    private mutating func registerForReport() {
        state = .awaitingReport
        guard manner.registersLate else { return }
        actions.append(.register(.transferReportResponse, true))
        actions.append(.register(.verificationStatus, true))
    }

    private mutating func received(_ characteristic: WalletCharacteristic, _ value: [UInt8], _ now: Instant) {
        if case .finished = state { return }
        if case .leaving = state { return }
        if case .closing = state { return }
        guard let first = value.first else { return manner.platform == .ios ? fail(.crash, now) : () }
        switch characteristic {
        case .transferReportResponse: report(value, now)
        case .verificationStatus:
            actions.append(.progress(.verdict(accepted: first == 0)))
            if manner.registersLate { actions.append(.register(.verificationStatus, false)) }
            leave(now)
        case .disconnect where first == 1:
            actions.append(.progress(.dismissed))
            if manner.registersLate { actions.append(.register(.disconnect, false)) }
            guard let closesAfter = manner.closesAfter else { return leave(now) }
            state = .closing(at: now.advanced(by: closesAfter))
            actions.append(.disconnect)
        default: break
        }
    }

    private mutating func report(_ value: [UInt8], _ now: Instant) {
        let dies = manner.platform == .ios
        guard let report = WalletReport(value) else { return fail(dies ? .crash : .report, now) }
        switch (report, state) {
        case (.success, .awaitingReport), (.success, .requesting):
            actions.append(.progress(.delivered))
            transfers += 1
            if repeatsTransfer, transfers == 1 { return submit() }
            state = .awaitingVerdict
        case (.missing(let missing), .awaitingReport), (.missing(let missing), .requesting):
            guard !missing.isEmpty || !dies else { return fail(.crash, now) }
            failureFrames += 1
            guard failureFrames <= manner.failureFrames else { return fail(.retries, now) }
            actions.append(.progress(.resending(chunks: missing.count, round: failureFrames)))
            state = .repairing(missing: missing, index: 0, due: nil)
            sendNext(now)
        default: break
        }
    }

    private mutating func write(_ characteristic: WalletCharacteristic, _ value: [UInt8], withResponse: Bool) {
        actions.append(.write(characteristic, value, withResponse: withResponse))
    }

    private mutating func fail(_ failure: WalletFailure, _ now: Instant) {
        actions.append(.progress(.failed(failure)))
        leave(now)
    }

    private mutating func leave(_ now: Instant) {
        state = .leaving(at: now.advanced(by: manner.leaveAfter))
    }
}
