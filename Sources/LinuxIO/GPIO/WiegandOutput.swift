package import Encoding
import Synchronization

/// The two wires to a gate controller: one frame, which is the same for everybody, sent once for each time that it is asked for.
///
/// It has a thread of its own (``LineThread``), as the relay has. A frame that could not begin in time is not begun late, a frame in
/// which a wire failed is not begun again, and nothing is kept for later: the controller would open when nobody is there, or to the
/// wrong one.
package final class WiegandOutput: Sendable {
    /// What came of a frame.
    package enum Sent: Hashable, Sendable {
        /// It was sent, as its times say.
        case whole
        /// It was sent, but with bits that were longer, or farther apart, than controllers are made for.
        case slow(pulse: Duration, gap: Duration)
        /// A wire failed at its last bit: the controller may have all of it.
        case unsure
        /// It was not begun, since its time was over; or a wire failed before its last bit.
        case lost
    }

    /// How long wires rest between two frames, for the controller to know them apart.
    package static let rest: Duration = .milliseconds(100)

    /// Until when a frame may begin, in nanoseconds of ``SystemClock/now()``; 0: none is wanted.
    private final class Order: Sendable { let until = Atomic<Int64>(0) }

    /// The thread's own: nobody else ever waits for this lock.
    private struct State {
        var train: WiegandTrain
        var readyAt: Instant = .zero
        /// When the last frame began.
        var begun: Instant = .zero
        var isBroken = false
    }

    private typealias News = (sent: Sent, begun: Instant)

    private let order: Order
    private let thread: LineThread

    /// Takes over the bank of these two lines, which rest inactive.
    ///
    /// - Parameters:
    ///   - wires: The lines of data 0 and data 1.
    ///   - bits: The frame.
    ///   - sending: Called on the thread: true before an order is taken and the clock is read by which the frame
    ///     begins or not, false after its result was told. May not block.
    ///   - sent: Called on the thread with the result of each frame and the instant at which it began. For a frame that
    ///     did not begin it is the instant at which it was given up.
    ///   - failed: See ``LineThread``.
    package init(
        _ bank: sending any LineBank, wires: (String, String), bits: [Bool], timing: WiegandTiming,
        sending: @escaping @Sendable (Bool) -> Void = { _ in },
        sent: @escaping @Sendable (Sent, _ begun: Instant) -> Void,
        failed: @escaping @Sendable (LineThread.Trouble?) -> Void
    ) throws(SystemError) {
        let order = Order()
        self.order = order
        let state = Mutex(State(train: WiegandTrain(bits, timing)))
        let names = [wires.0, wires.1]
        let tell: @Sendable (News) -> Void = { news in
            sent(news.sent, news.begun)
            sending(false)
        }
        thread = try LineThread(
            name: "gatehouse-wiega", timing: .awake, bank, readBack: Relay.readBack,
            wanted: { now in
                let (want, news) = state.withLock { Self.step(&$0, order, at: now, sending) }
                if let news { tell(news) }
                return LineThread.Wanted(
                    active: want.wire.map { [names[$0 ? 1 : 0]] } ?? [], until: want.until)
            },
            failed: { trouble in
                let news: News? = state.withLock { state in
                    defer {
                        state.isBroken = trouble != nil
                        state.train.abort()
                        state.readyAt = SystemClock.now().advanced(by: Self.rest)
                    }
                    guard !state.train.isIdle else { return nil }
                    return (state.train.mayBeWhole ? .unsure : .lost, state.begun)
                }
                if let news { tell(news) }
                failed(trouble)
            })
    }

    /// Sends a frame, if it can begin by then. Never blocks.
    package func send(until: Instant, at now: Instant) {
        order.until.store(min(until, now.advanced(by: Relay.hardLimit)).nanoseconds, ordering: .releasing)
        thread.wake()
    }

    /// Forgets a frame that has not begun. Never blocks.
    package func cancel() { order.until.store(0, ordering: .releasing) }

    /// Gives the lines back; whether that was done in time. What is left of a frame is not sent.
    package func end(within limit: Duration) -> Bool {
        cancel()
        return thread.end(within: limit)
    }

    /// What the wires shall be now, and what came of a frame.
    private static func step(
        _ state: inout State, _ order: Order, at now: Instant, _ sending: (Bool) -> Void
    ) -> (want: (wire: Bool?, until: Instant?), news: News?) {
        if !state.train.isIdle {
            let want = state.train.wanted(at: now)
            guard state.train.isIdle else { return (want, nil) }
            state.readyAt = now.advanced(by: rest)
            let lateness = state.train.lateness
            let sent: Sent =
                state.train.isDoubtful ? .slow(pulse: lateness.pulse, gap: lateness.gap) : .whole
            // The next order is looked at in a turn of its own: it has a result of its own.
            return ((nil, now), (sent, state.begun))
        }
        let until = order.until.load(ordering: .acquiring)
        guard until != 0 else { return ((nil, nil), nil) }
        // Taken once, whatever comes of it; somebody may have cancelled or renewed it meanwhile: then it is looked at again.
        if !state.isBroken, now < state.readyAt, state.readyAt.nanoseconds < until {
            return ((nil, state.readyAt), nil)
        }
        sending(true)
        let taken = order.until.compareExchange(
            expected: until, desired: 0, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
        guard taken.exchanged else {
            sending(false)
            return ((nil, now), nil)
        }
        let begun = SystemClock.now()
        if !state.isBroken, max(begun, state.readyAt).nanoseconds < until {
            state.begun = begun
            state.train.start()
        }
        guard !state.train.isIdle else { return ((nil, nil), (.lost, begun)) }
        return (state.train.wanted(at: begun), nil)
    }
}
