import Clocks
import Encoding
import GateService
import Kiosk
import LinuxIO
import Observation
import Reasons
import Synchronization

/// The printed code of a running gate: whether its key is in force, and the log of the sessions that used it.
///
/// Thread-safe. The key's validity is checked against the clock whenever the gate needs the key, and by ``turn()`` in
/// between.
final class PrintedCode: PrintedKeySource {
    /// The maximum number of sessions that wait to be written to the disk.
    private static let queue = 64

    /// The key and the log of used sessions, as read from their files.
    private struct Files: Sendable {
        let key: StickerKey
        let writer: Writer
    }

    /// The log of used sessions. Only one piece of work on the thread uses it at a time.
    private final class Writer: @unchecked Sendable {
        let book: UsedSessionLog
        let thread: BackgroundThread

        init(_ book: UsedSessionLog, _ thread: BackgroundThread) { (self.book, self.thread) = (book, thread) }
    }

    private struct State {
        var waiting = 0
        var isFull = false
        /// The detail of the last reported fault; empty if the last check found the key in force; nil before the
        /// first check.
        var told: String?
    }

    /// The sessions that used the key before this start of the program.
    let used: UsedSessions
    private let files: Result<Files, StickerFailure>
    private let until: Timestamp
    private let clock: Clock
    private let wallTime: @Sendable () -> WallTime
    private let report: HealthReporter
    private let state: Mutex<State>

    /// Opens the key and the log of used sessions that the configuration names. Returns nil if no printed code is
    /// configured. If they cannot be opened, the key is not in force until the next start, and ``turn()`` reports the
    /// reason. `limit` is the maximum number of sessions of one key.
    init?(
        _ section: StickerSection, limit: Int = UsedSessions.limit, clock: Clock,
        wallTime: @escaping @Sendable () -> WallTime, report: @escaping HealthReporter
    ) {
        guard let path = section.key, let until = section.until else { return nil }
        (self.until, self.clock, self.wallTime, self.report) = (until, clock, wallTime, report)
        files = Result { () throws(StickerFailure) in
            let key = try StickerKey(reading: path)
            let book = try UsedSessionLog(StickerKey.sessions(of: path), of: key.publicKey, limit: limit)
            guard let thread = try? BackgroundThread(name: "gatehouse-book", limit: Self.queue + 1) else {
                throw StickerFailure("no thread for the log of used sessions", remedy: "Restart the service.")
            }
            return Files(key: key, writer: Writer(book, thread))
        }
        switch files {
        case .success(let files):
            used = files.writer.book.used
            state = Mutex(State(isFull: files.writer.book.isFull))
        case .failure:
            used = UsedSessions()
            state = Mutex(State())
        }
    }

    /// Returns the key with the instant at which its validity ends; nil if the key is not in force.
    func key() -> PrintedKey? { try? inForce() }

    private func inForce() throws(StickerFailure) -> PrintedKey {
        let (key, time, now) = (try files.get().key, wallTime(), clock.now())
        if state.withLock({ $0.isFull }) {
            throw StickerFailure("the log of used sessions is full", remedy: StickerFailure.files)
        }
        // A date that was only saved, or that is unknown, cannot limit the time for which the key is valid.
        guard time.provenance >= .rtc else {
            throw StickerFailure("the clock is not trusted", remedy: "Check the clock: gatehouse status.")
        }
        for date in time.possible { try key.check(until: until, at: date) }
        let left = until.advanced(by: StickerDay.length).seconds - time.latest.seconds
        return key.printed(until: now.advanced(by: .seconds(left)))
    }

    /// The part of the status report about the printed code: the day on which the key was made, its last day, and a
    /// warning about the risk of printed codes; nil if the key is not in force.
    var status: StatusReport.Sticker? {
        guard key() != nil, case .success(let files) = files else { return nil }
        var sticker = StatusReport.Sticker()
        (sticker.made, sticker.until) = (StickerDay.text(files.key.made), StickerDay.words(until))
        sticker.warning = StickerSection.warning
        return sticker
    }

    /// Stores a session that used the key. `answer` is called once, on any thread: with nil when the session is
    /// durable, otherwise with the reason why it may be lost in a power cut.
    func keep(_ session: [UInt8], answer: @escaping @Sendable (_ failure: String?) -> Void) {
        guard case .success(let files) = files, let name = UsedSessions.name(of: session) else {
            return answer("the printed key has no log of used sessions")
        }
        let hasRoom = state.withLock { state in
            if state.waiting < Self.queue { state.waiting += 1 } else { return false }
            return true
        }
        guard hasRoom else { return answer("the disk is too slow for so many sessions") }
        files.writer.thread.run { [self, writer = files.writer] in
            var failure: String?
            do throws(StickerFailure) { try writer.book.append(name) } catch { failure = error.message }
            let isFull = writer.book.isFull
            state.withLock { ($0.waiting, $0.isFull) = ($0.waiting - 1, isFull) }
            answer(failure)
        }
    }

    /// Checks whether the key is in force, and reports changes. Returns true if the key has come into force since the
    /// last call, and nil if it was already in force. Returns false at each call while the key is not in force,
    /// because the key may have been in force between two calls.
    func turn() -> Bool? {
        var failure: StickerFailure?
        do throws(StickerFailure) { _ = try inForce() } catch { failure = error }
        let detail = failure.map { "\($0.message). \($0.remedy)" } ?? ""
        let told = state.withLock { state in
            defer { state.told = detail }
            return state.told
        }
        let isNews = told != detail
        guard failure == nil else {
            if isNews { report(.present(.stickerOff, detail: detail)) }
            return false
        }
        if isNews, told != nil { report(.over(.stickerOff)) }
        return isNews ? true : nil
    }
}
