import Encoding

/// The receiving state: from the response size to the delivery.
struct Transfer: Sendable {
    /// The state of the answer to a report request.
    enum Report: Sendable {
        /// No report is due.
        case none
        /// The report was requested and is to be sent at `at`.
        case due(at: Instant)
        /// A MISSING report was sent `count` times without a reaction. The report is due again at `again`.
        case unanswered(again: Instant, count: Int)
    }

    let channel: SecureChannel
    private(set) var assembler: Assembler
    /// The decrypted message, or the reason why decryption failed. The value is set at the arrival of the last chunk. A
    /// wallet that has sent all chunks then requests the report, and the payload is ready.
    private var opened: Result<[UInt8], TuvaliError>?
    var report = Report.none
    /// The time at which the first response size of the session was accepted.
    let startedAt: Instant
    private(set) var lastWrite: Instant
    /// The number of MISSING reports sent on request.
    var retries = 0
    private var shownPercent = 0
    /// The number of complete messages that were opened. Each opening costs as much as inflating the message. A wallet
    /// needs one opening and sometimes starts over.
    private var openings = 0
    static let openingsLimit = 3
    private var isAnnounced = true

    init(channel: SecureChannel, assembler: Assembler, at now: Instant) {
        self.channel = channel
        self.assembler = assembler
        startedAt = now
        lastWrite = now
    }

    var statistics: TransferStatistics {
        TransferStatistics(
            chunks: assembler.totalChunks, crcErrors: assembler.crcFailures, duplicates: assembler.duplicates,
            retries: retries, encryptedSize: assembler.size)
    }

    /// Returns the earliest time at which the state has an action due.
    func deadline(_ settings: SessionSettings) -> Instant {
        let limit = min(
            lastWrite.advanced(by: settings.silenceLimit), startedAt.advanced(by: settings.transferLimit))
        switch report {
        case .none: return limit
        case .due(let time), .unanswered(let time, _): return min(limit, time)
        }
    }

    /// Notes a write by the wallet. The wallet is alive, so its last report needs no repetition.
    mutating func heard(at now: Instant) {
        lastWrite = now
        if case .unanswered = report { report = .none }
    }

    /// Drops all chunks and begins again with a new size. A requested report is not sent, because it would describe the
    /// old chunks.
    mutating func restart(size: Int, maxData: Int, accepting sizes: ClosedRange<Int>) throws(Assembler.Refused) {
        forgetOpened()
        try assembler.restart(size: size, maxData: maxData, accepting: sizes)
        report = .none
        shownPercent = 0
        isAnnounced = false
    }

    /// Adds a chunk and reports the progress. Only the first announced size is reported at once. A later size is
    /// reported with its first accepted chunk.
    mutating func add(_ chunk: [UInt8], inflatedLimit: Int, _ actions: inout [SessionAction]) {
        guard assembler.add(chunk) == .accepted else { return }
        if !isAnnounced {
            isAnnounced = true
            actions.append(.transferStarted(size: assembler.size, totalChunks: assembler.totalChunks))
        }
        let (received, total) = (assembler.receivedChunks, assembler.totalChunks)
        let percent = received * 100 / total
        if percent > shownPercent {
            shownPercent = percent
            actions.append(.progress(received: received, total: total))
        }
        guard assembler.isComplete else { return }
        openings += 1
        do throws(TuvaliError) {
            if openings > Self.openingsLimit { throw .secondTransfer }
            let bytes = try channel.open(assembler.bytes, inflatedLimit: inflatedLimit)
            opened = .success(bytes)
            actions.append(.assembled(TransferredPayload(bytes: bytes, statistics: statistics)))
        } catch {
            opened = .failure(error)
            actions.append(.assembled(nil))
        }
    }

    /// Returns the plain bytes of a complete transfer. Throws the reason if decryption failed.
    func openedBytes() throws(TuvaliError) -> [UInt8] {
        guard let opened else { throw .notAuthentic }
        return try opened.get()
    }

    /// Overwrites the received data.
    mutating func wipe() {
        assembler.wipe()
        forgetOpened()
    }

    private mutating func forgetOpened() {
        if case .success(var bytes) = opened.take() { bytes.wipe() }
    }
}
