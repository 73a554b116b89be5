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

/// What the lines that open the gate did. Their threads write it down without a lock (``WatchedBank``), and the radio's
/// thread reads it.
///
/// It keeps the last two spans in which the relay was energised. No span changes under a reader: the relay rests
/// between two pulses for longer than a read takes.
package final class OpeningWatch: Sendable {
    /// How late the relay's thread may begin a pulse. A pulse that has not begun by then never will.
    package static let late: Duration = .milliseconds(50)
    /// How long a frame may take that was begun at the last moment: 37 bits, 20 ms apart, and a margin.
    package static let frame: Duration = .seconds(1)

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

    /// Nothing was opened yet. `sendsFrames`: a controller opens the gate, and no relay.
    package init(sendsFrames: Bool = false) { self.sendsFrames = sendsFrames }

    /// What has come of an order, as far as is known `now`.
    package func opening(_ order: OpeningOrder, at now: Instant) -> Opening {
        var length: Duration?
        // Read before the spans: a pulse that begins between the two reads is still seen as being tried.
        let isTrying = isTrying.load(ordering: .acquiring)
        // A thread that learned too late that the order was cut short has energised the relay all the same.
        let last = sendsFrames ? order.until : order.until.advanced(by: Self.late)
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
        if sendsFrames, lost.load(ordering: .acquiring) >= order.from.nanoseconds { return .never }
        return now < order.until.advanced(by: sendsFrames ? Self.frame : Self.late) ? .lasting : .never
    }

    /// Notes that a frame to a controller was sent, or was given up. `begun`: when it began. Called on the thread of
    /// the wires.
    package func frame(isSent: Bool, begun: Instant) {
        guard isSent else { return lost.store(begun.nanoseconds, ordering: .releasing) }
        begin(at: begun)
        end(at: begun)
    }

    /// The thread is about to energise the line, or has tried to.
    fileprivate func tries(_ isTrying: Bool) { self.isTrying.store(isTrying, ordering: .releasing) }

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

/// The relay's line, with a watch over what is done to it.
package final class WatchedBank: LineBank {
    private let bank: any LineBank
    private let watch: OpeningWatch

    /// Passes everything on to `bank`, and tells `watch` what has come of it.
    package init(_ bank: any LineBank, _ watch: OpeningWatch) { (self.bank, self.watch) = (bank, watch) }

    /// Energises or releases the line. A failed call to release it counts as not done. A failed call to energise it
    /// counts as done, unless the line is gone or is read as inactive: an expander may obey a call whose answer is
    /// lost.
    package func set(active names: Set<String>) throws(GPIOError) {
        guard !names.isEmpty else {
            try bank.set(active: names)
            return watch.end(at: SystemClock.now())
        }
        watch.tries(true)
        defer { watch.tries(false) }
        // Taken before the call, so that no record says a shorter pulse than there was.
        let now = SystemClock.now()
        do throws(GPIOError) { try bank.set(active: names) } catch {
            if !error.isGone, (try? bank.active())?.isEmpty != true { watch.begin(at: now) }
            throw error
        }
        watch.begin(at: now)
    }

    /// The lines that are active.
    package func active() throws(GPIOError) -> Set<String> { try bank.active() }

    /// Releases the line and gives it back.
    package func close() {
        bank.close()
        watch.end(at: SystemClock.now())
    }
}
