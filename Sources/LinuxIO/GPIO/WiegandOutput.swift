package import Encoding
import Synchronization

/// A Wiegand output: two wires to an access controller. For each request it sends one fixed frame, the same for every
/// visitor.
///
/// Like the relay, the output has its own thread (``LineThread``). A frame that cannot begin in time is dropped. A
/// frame during which a wire failed is not repeated, and no second frame is queued. Otherwise the controller could
/// open after the visitor has left, or for another person.
package final class WiegandOutput: Sendable {
    /// The result of a request for a frame.
    package enum Sent: Hashable, Sendable {
        /// The frame was sent with the configured times.
        case whole
        /// The frame was sent, but its pulses were longer, or farther apart, than controllers are specified for.
        /// `pulse` is the longest pulse, `gap` the longest gap between two pulses.
        case slow(pulse: Duration, gap: Duration)
        /// A wire failed at the last bit, so the controller may have received the whole frame.
        case unsure
        /// No whole frame was sent: it could not begin before its deadline, or a wire failed before the last bit.
        case lost
    }

    /// The minimum time between two frames. Without it the controller could not separate them.
    package static let rest: Duration = .milliseconds(100)

    /// The deadline for the beginning of the requested frame, in nanoseconds of ``SystemClock/now()``; 0: no frame is
    /// requested.
    private final class Order: Sendable { let until = Atomic<Int64>(0) }

    /// The state of the thread. Only the thread uses it, so nothing waits for its lock.
    private struct State {
        var train: WiegandTrain
        var readyAt: Instant = .zero
        /// The instant at which the last frame began.
        var begun: Instant = .zero
        var isBroken = false
    }

    private typealias News = (sent: Sent, begun: Instant)

    private let order: Order
    private let thread: LineThread

    /// Takes over the bank of the two data lines, which are inactive between frames. Throws if the thread cannot be
    /// created.
    ///
    /// - Parameters:
    ///   - bank: The two data lines.
    ///   - wires: The names of the lines of data 0 and data 1.
    ///   - bits: The frame: false is a pulse on data 0, true a pulse on data 1.
    ///   - timing: The times of the pulses.
    ///   - sending: Called on the thread with true before it reads the clock to check whether a requested frame may
    ///     begin, and with false after the result was reported. Must not block.
    ///   - sent: Called on the thread with the result of each frame and the instant at which it began. For a frame
    ///     that did not begin, it is the instant at which the frame was dropped.
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

    /// Requests one frame. The frame is dropped if it cannot begin before `until`. Never blocks.
    package func send(until: Instant, at now: Instant) {
        order.until.store(min(until, now.advanced(by: Relay.hardLimit)).nanoseconds, ordering: .releasing)
        thread.wake()
    }

    /// Cancels a frame that has not begun. Never blocks.
    package func cancel() { order.until.store(0, ordering: .releasing) }

    /// Cancels a frame that has not begun, and releases the lines. A frame that has begun is broken off. Returns
    /// whether the lines were released within `limit`.
    package func end(within limit: Duration) -> Bool {
        cancel()
        return thread.end(within: limit)
    }

    /// Returns the wanted state of the wires at `now`, and the result of a frame if it has just ended.
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
            // Do not begin the next frame in this call: the call can return only one result.
            return ((nil, now), (sent, state.begun))
        }
        let until = order.until.load(ordering: .acquiring)
        guard until != 0 else { return ((nil, nil), nil) }
        // A request is removed when it is read, whatever its result. If a caller has cancelled or renewed it
        // meanwhile, it is read again.
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
