import Encoding

@testable import Tuvali

extension FuzzTarget {
    /// A Tuvali session with arbitrary writes, times and link events. Two bytes begin each step.
    static let session = FuzzTarget(
        name: "session", longest: 1024,
        seeds: {
            let chunks = UInt8(SessionScript.chunks.count)
            let sent = (1...chunks).flatMap { [4, $0] as [UInt8] }
            let begin: [UInt8] = [1, 255, 2, 0, 3, 0]
            return [
                begin + sent + [6, 1, 8, 10, 10, 1, 8, 255, 7, 0, 7, 0, 12, 0],
                begin + sent.prefix(8) + [6, 1, 8, 20, 5, 3, 4, 5] + sent + [6, 1, 8, 30, 10, 0, 9, 60],
                begin + [3, 0] + sent + [3, 0] + sent + [6, 1, 8, 10, 3, 0],
                begin + sent + [6, 1, 8, 2, 11, 0, 8, 9], begin + [6, 2, 9, 200], [1, 0, 0, 5, 1, 2, 3, 4, 5, 13, 64],
                [1, 255, 2, 0, 0x10, 4, 0, 0, 16, 0, 9, 31, 9, 31], begin + [9, 20, 4, 1, 9, 20, 4, 2, 9, 31, 9, 5],
            ]
        },
        check: { bytes in
            var script = SessionScript()
            var reader = ByteReader(bytes)
            while let kind = try? reader.uint8(), let value = try? reader.uint8() {
                // For a write of arbitrary bytes, `value` is their count, and the upper half of `kind`
                // selects the characteristic.
                let data = kind & 0x0F == 0 ? (try? reader.take(min(Int(value), reader.remaining))) ?? [] : []
                script.step(kind, value, [UInt8](data))
            }
            script.settle()
        })
}

/// A session, and its properties under any behaviour of the phone.
private struct SessionScript {
    private static let private32 = [UInt8](repeating: 0x42, count: 32)
    private static let plain = Array("{\"verifiable\":\"\((0..<400).map { String($0 * 7919 % 1009) }.joined())\"}".utf8)
    private static let key = try? VerifierKey(privateBytes: private32)
    private static let wallet: TestWallet? = {
        var random = SplitMix64(seed: 5)
        return key.flatMap { try? TestWallet(verifierKey: $0.publicKey, random: &random) }
    }()
    private static let sealed = (try? wallet?.seal(plain)) ?? []
    /// For an MTU of 130.
    static let chunks = TestWallet.cut(sealed, maxData: 127)

    /// The longest time of a session: identify, choosing, transfer, verdict with its repetitions, the end of
    /// the link, and late timers.
    private static let longest = Duration.seconds([10, 120, 600, 15, 12, 4, 256].reduce(0, +))

    private var session: VerifierSession
    private var now = Instant.zero
    private var since: Instant?
    private var hasEnded = false
    private var payloads = 0
    /// The first verdict after the payload.
    private var verdict: Bool?
    private var statuses = 0
    private var drops = 0
    private var failures = 0

    init() {
        guard let key = Self.key else { fatalError("no key") }
        session = VerifierSession(key: key, at: .zero)
    }

    mutating func step(_ kind: UInt8, _ value: UInt8, _ data: [UInt8]) {
        switch kind & 0x0F {
        case 0: write(Characteristic.allCases[Int(kind >> 4) % Characteristic.allCases.count], data)
        case 1: give(.connected(attMTU: value == 255 ? 130 : Int(value) * 3))
        case 2: write(.identify, Self.wallet?.identify ?? [])
        case 3: write(.responseSize, TestWallet.size(Self.sealed))
        case 4: write(.submitResponse, chunk(value))
        case 5:
            var chunk = chunk(value)
            if !chunk.isEmpty { chunk[Int(kind >> 4) % chunk.count] ^= 1 << (value & 7) }
            write(.submitResponse, chunk)
        case 6: write(.transferReportRequest, [value])
        case 7:
            if let deadline = session.deadline { now = max(now, deadline) }
            give(.timer)
        case 8: pass(.milliseconds(Int(value) * 10))
        case 9: pass(.seconds(Int(value)))
        case 10:
            // A due timer fires first, and it may deliver the payload. The verdict is then about that
            // payload.
            if let deadline = session.deadline, deadline <= now { give(.timer) }
            if payloads == 1, verdict == nil { verdict = value & 1 == 1 }
            give(.verdict(accepted: value & 1 == 1))
        case 11: give(.linkLost)
        case 12: give(.cancel)
        case 13: give(.mtuChanged(Int(value) * 3))
        default: now = now.advanced(by: .milliseconds(Int(value)))  // the timer is late
        }
    }

    private func chunk(_ number: UInt8) -> [UInt8] {
        Self.chunks.isEmpty ? [] : Self.chunks[max(Int(number), 1) % Self.chunks.count]
    }

    private mutating func write(_ characteristic: Characteristic, _ value: [UInt8]) {
        give(.write(characteristic, value))
    }

    private mutating func pass(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let deadline = session.deadline, deadline <= end {
            now = max(now, deadline)
            give(.timer)
        }
        now = end
    }

    /// Lets only timers fire. The session must end by itself, after fewer than 64 timers.
    mutating func settle() {
        var timers = 0
        while let deadline = session.deadline {
            now = max(now, deadline)
            give(.timer)
            timers += 1
            require(timers < 64, "a session that nobody speaks to ends")
        }
        require(hasEnded, "a session without deadline has ended")
    }

    private mutating func give(_ event: SessionEvent) {
        if case .connected = event, since == nil { since = now }
        let actions = session.handle(event, at: now)
        require(actions.count <= 48, "so many actions")
        if hasEnded { require(actions.isEmpty && session.deadline == nil, "what has ended stays so") }
        for action in actions {
            require(!hasEnded, "the end comes last")
            take(action)
        }
        require(session.deadline.map { $0 > now } ?? hasEnded, "what is due is done")
        if let held = session.receivedChunks { require((0...65535).contains(held), "chunks are bounded") }
        if let since, !hasEnded { require(since.duration(to: now) < Self.longest, "no session lasts so long") }
    }

    private mutating func take(_ action: SessionAction) {
        switch action {
        case .payload(let payload):
            payloads += 1
            require(payloads == 1, "one payload")
            require(payload.bytes == Self.plain, "only what the wallet sealed")
        case .assembled(let payload):
            if let payload { require(payload.bytes == Self.plain, "only what the wallet sealed") }
        case .notify(.verificationStatus, let value):
            statuses += 1
            require(verdict.map { value == [$0 ? 0 : 1] } ?? false, "no verdict is told but the one given")
            // A verdict is sent five times in the first second, then every second while a notified wallet may
            // stay.
            require(statuses <= 6 + 30, "so often and no more")
            require(drops == 0, "and before the parting")
        case .notify(.transferReportResponse, let value):
            let missing = TestWallet.missing(in: value)
            require(missing != nil, "a report that wallets can read")
            require(missing == [] ? payloads == 1 : payloads == 0, "SUCCESS is of a payload")
            require(
                missing.map { $0 == $0.sorted() && Set($0).count == $0.count } ?? false, "numbers in order, each once")
        case .notify: require(false, "nothing else is notified")
        case .dropLink:
            drops += 1
            require(drops == 1, "the link is dropped once")
        case .failed:
            failures += 1
            require(failures == 1, "one failure")
        case .ended: hasEnded = true
        case .progress(let received, let total): require((1...total).contains(received), "progress is of the whole")
        case .transferStarted(let size, let chunks):
            require(size > 0 && (1...65535).contains(chunks), "sizes are bounded")
        case .identified, .stopAdvertising: break
        }
    }
}
