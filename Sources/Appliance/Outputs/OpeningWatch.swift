package import Encoding
package import LinuxIO
import Synchronization

/// The result of an order to open, as the threads of the lines observed it.
package enum Opening: Hashable, Sendable {
    /// It is under way: a line is energised, or may still be.
    case lasting
    /// It is over: the relay was energised for so long; zero for a frame to a controller, which has a time of its own.
    case over(Duration)
    /// It is over, and nothing was energised or sent.
    case never
}

/// An opening as it was ordered.
package struct OpeningOrder: Hashable, Sendable {
    /// When the panel got the order.
    package var from: Instant
    /// Until when at the latest: its end as it was ordered, or the instant at which it was cut short.
    package var until: Instant

    /// An order of these instants.
    package init(from: Instant, until: Instant) { (self.from, self.until) = (from, until) }
}

/// What the threads of the lines that open the gate did. Each thread writes to ``OpeningMarks`` of its own, and the
/// radio's thread reads all of them.
///
/// When a chip is exchanged, the thread of the old lines may hang in a call while the thread of the new lines works.
/// Neither writes the marks of the other.
package final class OpeningWatch: Sendable {
    /// How late a thread may mark that it tries to begin a pulse or a frame. One that it has not marked by then never
    /// begins: the mark precedes the clock reading by which the thread decides, and stays until the call or the frame
    /// is over.
    package static let late: Duration = .milliseconds(50)
    /// Threads whose marks are kept. Lines are taken anew every 5 s, and an order is asked about for 10 s at most.
    private static let threads = 8

    private let marks = Mutex<[(marks: OpeningMarks, since: Instant)]>([])
    private let sendsFrames: Bool

    /// Nothing was opened yet. `sendsFrames`: a controller opens the gate, and no relay.
    package init(sendsFrames: Bool = false) { self.sendsFrames = sendsFrames }

    /// Marks for a thread that takes over the lines at `now`. No other thread gets an order after `now`.
    package func newMarks(at now: Instant) -> OpeningMarks {
        let new = OpeningMarks(sendsFrames: sendsFrames)
        marks.withLock { marks in
            if marks.count >= Self.threads { marks.removeFirst() }
            marks.append((new, now))
        }
        return new
    }

    /// What has come of an order, as far as is known `now`.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening {
        let marks = marks.withLock { $0 }
        var length: Duration?
        var isLost = false
        // A thread that was replaced before the order got nothing of it.
        let first = marks.lastIndex { $0.since < order.from } ?? 0
        for (marks, _) in marks.dropFirst(first) {
            switch marks.opening(order) {
            case .lasting: return .lasting
            case .over(let more): length = (length ?? .zero) + more
            case .never: isLost = true
            case nil: break
            }
        }
        if let length { return .over(length) }
        if isLost { return .never }
        return now < order.until.advanced(by: Self.late) ? .lasting : .never
    }
}

/// What one thread did to the lines that open the gate. The thread writes without a lock (``WatchedBank``), others only
/// read.
///
/// It keeps the last two times that the relay was energised. Between two pulses the relay rests for longer than the
/// reader takes.
package final class OpeningMarks: Sendable {
    /// One time that the line was energised, in nanoseconds of ``SystemClock/now()``; 0: not yet.
    private final class Span: Sendable {
        let began = Atomic<Int64>(0)
        let ended = Atomic<Int64>(0)
    }

    private let spans = (Span(), Span())
    private let isSecond = Atomic<Bool>(false)
    private let isTrying = Atomic<Bool>(false)
    /// When a frame was last given up.
    private let lost = Atomic<Int64>(0)
    private let sendsFrames: Bool

    fileprivate init(sendsFrames: Bool) { self.sendsFrames = sendsFrames }

    /// What the thread did with an order. `never`: it gave up the frame. Nil: nothing so far.
    fileprivate func opening(_ order: OpeningOrder) -> Opening? {
        var length: Duration?
        // Read before the spans: a pulse that begins between the two reads is still seen as being tried.
        let isTrying = isTrying.load(ordering: .sequentiallyConsistent)
        // A thread that learned too late that the order was cut short has opened the gate all the same.
        let last = order.until.advanced(by: OpeningWatch.late)
        for span in [spans.0, spans.1] {
            let began = Instant(nanoseconds: span.began.load(ordering: .acquiring))
            guard began > .zero, began < last else { continue }
            // A frame that began before this order belongs to an earlier one. A pulse may go on from one order to the
            // next.
            if sendsFrames, began < order.from { continue }
            let ended = Instant(nanoseconds: span.ended.load(ordering: .acquiring))
            guard ended > .zero else { return .lasting }
            guard ended >= order.from else { continue }
            length = (length ?? .zero) + max(began, order.from).duration(to: ended)
        }
        if isTrying { return .lasting }
        if let length { return .over(length) }
        return sendsFrames && lost.load(ordering: .acquiring) >= order.from.nanoseconds ? .never : nil
    }

    /// Notes that a frame to a controller was sent, or was given up. `begun`: when it began. Called on the thread of
    /// the wires.
    package func frame(isSent: Bool, begun: Instant) {
        guard isSent else { return lost.store(begun.nanoseconds, ordering: .releasing) }
        begin(at: begun)
        end(at: begun)
    }

    /// The thread may be about to energise the line or to begin a frame, or is done with it.
    func tries(_ isTrying: Bool) { self.isTrying.store(isTrying, ordering: .sequentiallyConsistent) }

    /// The line is energised, from then on at the earliest.
    fileprivate func begin(at now: Instant) {
        let last = isSecond.load(ordering: .relaxed) ? spans.1 : spans.0
        // A line that could not be released is still energised.
        if last.began.load(ordering: .relaxed) > 0, last.ended.load(ordering: .relaxed) == 0 { return }
        let isSecond = !isSecond.load(ordering: .relaxed)
        let span = isSecond ? spans.1 : spans.0
        span.ended.store(0, ordering: .releasing)
        span.began.store(now.nanoseconds, ordering: .releasing)
        self.isSecond.store(isSecond, ordering: .relaxed)
    }

    /// The line is released.
    fileprivate func end(at now: Instant) {
        let span = isSecond.load(ordering: .relaxed) ? spans.1 : spans.0
        if span.ended.load(ordering: .relaxed) == 0 { span.ended.store(now.nanoseconds, ordering: .releasing) }
    }
}

/// The relay's line, with marks of what is done to it.
package final class WatchedBank: LineBank {
    private let bank: any LineBank
    private let marks: OpeningMarks
    /// When the attempt began that is under way.
    private var tried: Instant?

    /// Passes everything on to `bank`, and marks for `watch` what has come of it.
    package init(_ bank: any LineBank, _ watch: OpeningWatch) {
        (self.bank, marks) = (bank, watch.newMarks(at: SystemClock.now()))
    }

    /// Energises or releases the line. A failed call to release it counts as not done. A failed call to energise it
    /// counts as done, unless the line is gone or is read as inactive: an expander may obey a call whose answer is
    /// lost.
    package func set(active names: Set<String>) throws(GPIOError) {
        guard !names.isEmpty else {
            try bank.set(active: names)
            return marks.end(at: SystemClock.now())
        }
        // Taken before the call, so that no record says a shorter pulse than there was.
        let now = tried ?? SystemClock.now()
        marks.tries(true)
        defer { tries(false) }
        do throws(GPIOError) { try bank.set(active: names) } catch {
            if !error.isGone, (try? bank.active())?.isEmpty != true { marks.begin(at: now) }
            throw error
        }
        marks.begin(at: now)
    }

    /// Marks that the thread may be about to energise the line. The pulse counts from then on: a thread that is stopped
    /// between its decision and the call still begins it within its order.
    package func tries(_ isTrying: Bool) {
        tried = isTrying ? SystemClock.now() : nil
        marks.tries(isTrying)
    }

    /// The lines that are active.
    package func active() throws(GPIOError) -> Set<String> { try bank.active() }

    /// Releases the line and gives it back.
    package func close() {
        bank.close()
        marks.end(at: SystemClock.now())
    }
}
