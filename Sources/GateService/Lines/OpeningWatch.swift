package import Clocks
package import Encoding
package import LinuxIO
import Synchronization

/// The result of an order to open, as the threads of the lines observed it.
package enum Opening: Hashable, Sendable {
    /// The opening is in progress: a line is energised, or may still become energised.
    case lasting
    /// The opening is over. The relay was energised for the given duration. The duration is zero for a frame
    /// to a gate controller, which has its own opening time.
    case over(Duration)
    /// The opening is over. No line was energised and no frame was sent.
    case never
}

/// An order to open the gate.
package struct OpeningOrder: Hashable, Sendable {
    /// The instant at which the panel got the order.
    package var from: Instant
    /// The latest end of the opening: the ordered end, or the instant at which the opening was cut short.
    package var until: Instant

    /// Creates an order that is valid from one instant until another.
    package init(from: Instant, until: Instant) { (self.from, self.until) = (from, until) }
}

/// The observed results of the threads of the lines that open the gate. Each thread writes its own
/// ``OpeningMarks``, and the radio's thread reads all of them.
///
/// When a chip is exchanged, the thread of the old lines may hang in a call while the thread of the new lines
/// works. Each of the two threads writes only its own marks.
package final class OpeningWatch: Sendable {
    /// The latest time after its order at which a thread may mark that it tries to begin a pulse or a frame.
    /// A pulse or frame without such a mark at that time never begins. The reason: the thread sets the mark
    /// before it reads the clock to check whether the order is still valid, and clears the mark only after
    /// the call or the frame.
    package static let late: Duration = .milliseconds(50)
    /// The number of threads whose marks are kept. Lines that are missing are requested every 5 s, and the
    /// result of an order is read for at most 10 s.
    private static let threads = 8

    private let marks = Mutex<[(marks: OpeningMarks, since: Instant)]>([])
    /// Whether a controller opens the gate instead of a relay.
    let sendsFrames: Bool

    /// Creates a watch without marks.
    package init(sendsFrames: Bool = false) { self.sendsFrames = sendsFrames }

    /// Creates the marks of a thread that takes over the lines at `now`. No other thread gets an order after
    /// `now`.
    package func newMarks(at now: Instant) -> OpeningMarks {
        let new = OpeningMarks(sendsFrames: sendsFrames)
        marks.withLock { marks in
            if marks.count >= Self.threads { marks.removeFirst() }
            marks.append((new, now))
        }
        return new
    }

    /// Returns the result of an order, as far as it is known at `now`.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening {
        let marks = marks.withLock { $0 }
        var length: Duration?
        var isLost = false
        // A thread that was replaced before the order was given did not get the order.
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

/// The marks of one thread on the lines that open the gate. The thread writes them without a lock
/// (``WatchedBank``); other threads only read them.
///
/// They hold the last two periods in which the relay was energised. Between two pulses the relay rests for
/// longer than a read of the marks takes.
package final class OpeningMarks: Sendable {
    /// One period in which the line was energised, in nanoseconds of the monotonic clock; 0: the period has
    /// not begun or not ended yet.
    private final class Span: Sendable {
        let began = Atomic<Int64>(0)
        let ended = Atomic<Int64>(0)
    }

    private let spans = (Span(), Span())
    private let isSecond = Atomic<Bool>(false)
    private let isTrying = Atomic<Bool>(false)
    /// The instant at which the newest abandoned frame began.
    private let lost = Atomic<Int64>(0)
    private let sendsFrames: Bool

    fileprivate init(sendsFrames: Bool) { self.sendsFrames = sendsFrames }

    /// Returns the result of an order, as this thread observed it. `never`: the thread abandoned the frame.
    /// Nil: no result is known so far.
    fileprivate func opening(_ order: OpeningOrder) -> Opening? {
        var length: Duration?
        // Read this mark before the spans: a pulse that begins between the two reads is then still seen as
        // being tried.
        let isTrying = isTrying.load(ordering: .sequentiallyConsistent)
        // A thread may begin the pulse before it learns that the order was cut short.
        let last = order.until.advanced(by: OpeningWatch.late)
        for span in [spans.0, spans.1] {
            let began = Instant(nanoseconds: span.began.load(ordering: .acquiring))
            guard began > .zero, began < last else { continue }
            // A frame that began before this order belongs to an earlier order. A pulse may continue from one
            // order into the next.
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

    /// Notes that a frame to a controller was sent, or was abandoned. `begun`: the instant at which it began.
    /// Called on the thread of the wires.
    package func frame(isSent: Bool, begun: Instant) {
        guard isSent else { return lost.store(begun.nanoseconds, ordering: .releasing) }
        begin(at: begun)
        end(at: begun)
    }

    /// Notes whether the thread may be about to energise the line or to begin a frame.
    package func tries(_ isTrying: Bool) { self.isTrying.store(isTrying, ordering: .sequentiallyConsistent) }

    /// Notes that the line is energised. The energised period began at `now` at the earliest.
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

    /// Notes that the line is released.
    fileprivate func end(at now: Instant) {
        let span = isSecond.load(ordering: .relaxed) ? spans.1 : spans.0
        if span.ended.load(ordering: .relaxed) == 0 { span.ended.store(now.nanoseconds, ordering: .releasing) }
    }
}

/// The line of the relay. It marks each change for an ``OpeningWatch``.
package final class WatchedBank: LineBank {
    private let bank: any LineBank
    private let marks: OpeningMarks
    private let clock: Clock
    /// The start of the attempt in progress.
    private var tried: Instant?

    /// Passes all calls on to `bank` and marks their results for `watch`.
    package init(_ bank: any LineBank, _ watch: OpeningWatch, clock: Clock) {
        (self.bank, self.clock, marks) = (bank, clock, watch.newMarks(at: clock.now()))
    }

    /// Energises or releases the line. A failed call to release it counts as not done. A failed call to
    /// energise it counts as done, unless the line has gone or reads as inactive: an expander may obey a call
    /// even if its answer is lost.
    package func set(active names: Set<String>) throws(GPIOError) {
        guard !names.isEmpty else {
            try bank.set(active: names)
            return marks.end(at: clock.now())
        }
        // Read the clock before the call, so that no record gives a shorter pulse than the real one.
        let now = tried ?? clock.now()
        marks.tries(true)
        defer { tries(false) }
        do throws(GPIOError) { try bank.set(active: names) } catch {
            if !error.isGone, (try? bank.active())?.isEmpty != true { marks.begin(at: now) }
            throw error
        }
        marks.begin(at: now)
    }

    /// Marks whether the thread may be about to energise the line. The pulse counts from this mark. So a
    /// thread that is suspended between its check of the clock and the call still begins the pulse within its
    /// order.
    package func tries(_ isTrying: Bool) {
        tried = isTrying ? clock.now() : nil
        marks.tries(isTrying)
    }

    /// Returns the active lines.
    package func active() throws(GPIOError) -> Set<String> { try bank.active() }

    /// Releases the line and gives it back to the system.
    package func close() {
        bank.close()
        marks.end(at: clock.now())
    }
}
