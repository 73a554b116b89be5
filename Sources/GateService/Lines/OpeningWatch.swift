package import Clocks
package import Encoding
package import LinuxIO
import Synchronization

/// The result of an order to open, as the line threads observed it.
package enum Opening: Hashable, Sendable {
    /// The opening is in progress: a line is energised, or may still become energised.
    case lasting
    /// The opening is over. The value is the time for which the relay was energised. It is zero for a frame to a gate
    /// controller, because the controller decides how long it opens the gate.
    case over(Duration)
    /// The opening is over. No line was energised and no frame was sent.
    case never
}

/// An order to open the gate.
package struct OpeningOrder: Hashable, Sendable {
    /// The instant at which the panel received the order.
    package var from: Instant
    /// The latest end of the opening: the ordered end, or the earlier instant at which a later command ended the
    /// opening.
    package var until: Instant

    /// Creates an order that is valid from the instant `from` until the instant `until`.
    package init(from: Instant, until: Instant) { (self.from, self.until) = (from, until) }
}

/// What the threads of the lines that open the gate observed. Each thread writes its own ``OpeningMarks``, and the
/// radio's thread reads all of them.
///
/// When a GPIO chip is replaced, the thread of the old lines may hang in a call while the thread of the new lines
/// works. With separate marks the old thread cannot overwrite the marks of the new one.
package final class OpeningWatch: Sendable {
    /// How long after the end of an order a thread may still mark that it is about to begin the pulse or frame of
    /// this order. If the mark is missing by then, the pulse or frame never begins. The reason: the thread sets the
    /// mark before it reads the clock to check whether the order is still valid, and clears the mark only after the
    /// attempt.
    package static let late: Duration = .milliseconds(50)
    /// The number of threads whose marks are stored. A new thread starts at most every 5 s, and the result of an
    /// order is read for at most 10 s, so no marks are dropped too early.
    private static let threads = 8

    private let marks = Mutex<[(marks: OpeningMarks, since: Instant)]>([])
    /// Whether a gate controller opens the gate instead of a relay.
    let sendsFrames: Bool

    /// Creates a watch without marks.
    package init(sendsFrames: Bool = false) { self.sendsFrames = sendsFrames }

    /// Creates the marks of the thread that controls the lines from `now` on. Threads of earlier lines receive no
    /// order after `now`.
    package func newMarks(at now: Instant) -> OpeningMarks {
        let new = OpeningMarks(sendsFrames: sendsFrames)
        marks.withLock { marks in
            if marks.count >= Self.threads { marks.removeFirst() }
            marks.append((new, now))
        }
        return new
    }

    /// Returns the result of an order, as far as the threads have observed it until `now`.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening {
        let marks = marks.withLock { $0 }
        var length: Duration?
        var isLost = false
        // Skip the threads that were replaced before the order was given: they did not receive it.
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

/// What one thread observed on the lines that open the gate. Only this thread writes the marks, without a lock
/// (``WatchedBank``); other threads only read them.
///
/// The marks contain the last two periods in which the relay was energised. The pause between two pulses is longer
/// than a read of the marks takes, so a reader never sees a period that is being overwritten.
package final class OpeningMarks: Sendable {
    /// A period in which the line was energised: its begin and end in nanoseconds of the monotonic clock. Zero means
    /// that the period has not begun or not ended yet.
    private final class Span: Sendable {
        let began = Atomic<Int64>(0)
        let ended = Atomic<Int64>(0)
    }

    private let spans = (Span(), Span())
    private let isSecond = Atomic<Bool>(false)
    private let isTrying = Atomic<Bool>(false)
    /// The instant at which the newest frame that was abandoned would have begun.
    private let lost = Atomic<Int64>(0)
    private let sendsFrames: Bool

    fileprivate init(sendsFrames: Bool) { self.sendsFrames = sendsFrames }

    /// Returns the result of an order, as this thread observed it. Returns `never` if the thread abandoned the frame,
    /// and nil if it has observed no result yet.
    fileprivate func opening(_ order: OpeningOrder) -> Opening? {
        var length: Duration?
        // Read this mark before the periods. Otherwise a pulse that begins between the two reads would be missed.
        let isTrying = isTrying.load(ordering: .sequentiallyConsistent)
        // A thread may begin the pulse before it receives the command that ends the order early.
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

    /// Notes that a frame to a gate controller was sent or abandoned. `begun` is the instant at which the frame
    /// began. Called on the thread of the wires.
    package func frame(isSent: Bool, begun: Instant) {
        guard isSent else { return lost.store(begun.nanoseconds, ordering: .releasing) }
        begin(at: begun)
        end(at: begun)
    }

    /// Notes whether the thread is about to energise the line or to begin a frame.
    package func tries(_ isTrying: Bool) { self.isTrying.store(isTrying, ordering: .sequentiallyConsistent) }

    /// Notes that the line is energised. The period began at `now` or later.
    fileprivate func begin(at now: Instant) {
        let last = isSecond.load(ordering: .relaxed) ? spans.1 : spans.0
        // If the last release of the line failed, its period continues.
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

/// The line of the relay. Each change of the line is marked for an ``OpeningWatch``.
package final class WatchedBank: LineBank {
    private let bank: any LineBank
    private let marks: OpeningMarks
    private let clock: Clock
    /// The instant at which the present attempt to energise the line began; nil: no attempt is in progress.
    private var tried: Instant?

    /// Passes all calls to `bank` and marks their results in new marks of `watch`.
    package init(_ bank: any LineBank, _ watch: OpeningWatch, clock: Clock) {
        (self.bank, self.clock, marks) = (bank, clock, watch.newMarks(at: clock.now()))
    }

    /// Energises or releases the line. If a call to release fails, the line counts as still energised. If a call to
    /// energise fails, the line counts as energised unless its chip has disappeared or the line reads as inactive: a
    /// GPIO expander may carry out a call whose answer is lost.
    package func set(active names: Set<String>) throws(GPIOError) {
        guard !names.isEmpty else {
            try bank.set(active: names)
            return marks.end(at: clock.now())
        }
        // Read the clock before the call, so that a record never states a shorter pulse than the real one.
        let now = tried ?? clock.now()
        marks.tries(true)
        defer { tries(false) }
        do throws(GPIOError) { try bank.set(active: names) } catch {
            if !error.isGone, (try? bank.active())?.isEmpty != true { marks.begin(at: now) }
            throw error
        }
        marks.begin(at: now)
    }

    /// Marks whether the thread is about to energise the line. The pulse is counted from this mark. So even if the
    /// thread is suspended between its check of the clock and the call, the pulse counts as begun within its order.
    package func tries(_ isTrying: Bool) {
        tried = isTrying ? clock.now() : nil
        marks.tries(isTrying)
    }

    /// Returns the names of the active lines.
    package func active() throws(GPIOError) -> Set<String> { try bank.active() }

    /// Releases the line, and returns it to the kernel.
    package func close() {
        bank.close()
        marks.end(at: clock.now())
    }
}
