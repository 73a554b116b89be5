import Encoding
import Glibc
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

/// Frames on two wires: every bit is sent in order, once, and never late.
@Suite("Wiegand", .timeLimit(.minutes(2)), .tags(.realTime))
struct WiegandTests {
    private let bits = [false, true, true, false, true]
    private let timing = WiegandTiming(pulse: .microseconds(50), interval: .milliseconds(2))

    // MARK: - The pulse train, on a simulated clock

    private func instant(_ microseconds: Int64) -> Instant { Instant(nanoseconds: microseconds * 1000) }

    /// Plays the train with each change delayed by `delay` microseconds. Returns (wire, begin, end) of each
    /// pulse.
    private func play(_ train: inout WiegandTrain, delay: (Int) -> Int64) -> [(wire: Bool, from: Int64, to: Int64)] {
        var (now, calls, pulses): (Int64, Int, [(wire: Bool, from: Int64, to: Int64)]) = (0, 0, [])
        var active: Bool?
        train.start()
        while !train.isIdle, calls < 1000 {
            calls += 1
            let want = train.wanted(at: instant(now))
            if want.wire != active {
                now += delay(calls)
                if let wire = want.wire {
                    pulses.append((wire, now, -1))
                } else if let last = pulses.popLast() {
                    pulses.append((last.wire, last.from, now))
                }
                active = want.wire
            } else if let until = want.until {
                now = max(now, until.nanoseconds / 1000)
            }
        }
        return pulses
    }

    @Test("every bit is one pulse on its wire, as long and as far apart as it was asked for", .tags(.exact))
    func train() {
        var train = WiegandTrain(bits, timing)
        #expect(train.isIdle && train.wanted(at: .zero).wire == nil)
        let pulses = play(&train) { _ in 0 }
        #expect(pulses.map(\.wire) == bits)
        #expect(pulses.map(\.from) == [0, 2000, 4000, 6000, 8000])
        #expect(pulses.allSatisfy { $0.to - $0.from == 50 })
        #expect(!train.isDoubtful)
        // The train can be played again, but only after a new start.
        #expect(train.wanted(at: instant(20_000)).wire == nil)
        #expect(play(&train) { _ in 0 }.map(\.wire) == bits)
    }

    @Test("slow lines make pulses and gaps longer, never shorter, and are reported", .tags(.exact))
    func slow() {
        var train = WiegandTrain(bits, timing)
        let pulses = play(&train) { $0 % 3 == 0 ? 700 : 30 }
        #expect(pulses.map(\.wire) == bits && pulses.allSatisfy { $0.to - $0.from >= 50 })
        #expect(zip(pulses, pulses.dropFirst()).allSatisfy { $1.from - $0.to >= 1950 })
        var late = WiegandTrain(bits, timing)
        late.start()
        _ = late.wanted(at: instant(0))
        _ = late.wanted(at: instant(10))
        #expect(late.wanted(at: instant(1200)).wire == nil && !late.isDoubtful)
        #expect(late.wanted(at: instant(1210)).wire == nil)
        #expect(late.isDoubtful)
        late.abort()
        #expect(late.isIdle && late.wanted(at: instant(1300)).wire == nil)
    }

    @Test("a frame may be whole from when its last bit was asked for", .tags(.exact))
    func lastBit() {
        var train = WiegandTrain(bits, timing)
        #expect(!train.mayBeWhole)
        train.start()
        #expect(!train.mayBeWhole)
        var (now, pulses, active, seen): (Instant, Int, Bool?, [Bool]) = (.zero, 0, nil, [])
        for _ in 0..<1000 where !train.isIdle {
            let want = train.wanted(at: now)
            if let wire = want.wire, active == nil {
                pulses += 1
                #expect(wire == bits[pulses - 1])
            }
            active = want.wire
            now = want.until ?? now
            seen.append(train.mayBeWhole)
            #expect(train.mayBeWhole == (pulses == bits.count && !train.isIdle))
        }
        #expect(train.isIdle && seen.contains(true))
    }

    // MARK: - The thread

    private final class Wires: Sendable {
        struct State {
            var changes: [(active: Set<String>, at: Instant)] = []
            var calls = 0
            var failsAt: ClosedRange<Int>?
            var delay: UInt32 = 0
            /// Calls block while this is true.
            var isHeld = false
            var sent: [WiegandOutput.Sent] = []
            /// The reports that a frame is being sent, or no longer.
            var sending: [Bool] = []
            var (troubles, recoveries) = (0, 0)
            var isClosed = false
        }

        final class Bank: LineBank {
            let wires: Wires
            init(_ wires: Wires) { self.wires = wires }

            func set(active names: Set<String>) throws(GPIOError) {
                let (fails, delay) = wires.state.withLock { state in
                    state.calls += 1
                    return (state.failsAt?.contains(state.calls) ?? false, state.delay)
                }
                if delay > 0 { usleep(delay) }
                while wires.state.withLock({ $0.isHeld }) { usleep(1000) }
                if fails { throw .failed(SystemError("setting lines", code: EIO)) }
                wires.state.withLock { $0.changes.append((names, SystemClock.now())) }
            }

            func active() throws(GPIOError) -> Set<String> { wires.state.withLock { $0.changes.last?.active ?? [] } }
            func close() { wires.state.withLock { $0.isClosed = true } }
        }

        let state = Mutex(State())

        func output(
            _ bits: [Bool], _ timing: WiegandTiming, sending: @escaping @Sendable (Bool) -> Void = { _ in }
        ) throws -> WiegandOutput {
            try WiegandOutput(
                bank(), wires: ("D0", "D1"), bits: bits, timing: timing,
                sending: { isSending in
                    self.state.withLock { $0.sending.append(isSending) }
                    sending(isSending)
                },
                sent: { sent, _ in self.state.withLock { $0.sent.append(sent) } },
                failed: { trouble in
                    self.state.withLock { if trouble == nil { $0.recoveries += 1 } else { $0.troubles += 1 } }
                })
        }

        func bank() -> sending any LineBank { Bank(self) }

        func waits(_ isTrue: (State) -> Bool) -> Bool { blocksUntil { isTrue(state.withLock { $0 }) } }

        /// The wires of the pulses in order; nil if two wires were active together, or one directly after the
        /// other.
        var pulses: [Bool]? {
            let changes = state.withLock { $0.changes.map(\.active) }
            var pulses: [Bool] = []
            for (before, after) in zip(changes, changes.dropFirst()) where !after.isEmpty {
                guard before.isEmpty, after.count == 1 else { return nil }
                pulses.append(after.contains("D1"))
            }
            return pulses
        }
    }

    private var soon: (until: Instant, now: Instant) {
        let now = SystemClock.now()
        return (now.advanced(by: .seconds(4)), now)
    }

    @Test("one order, one frame, to the bit; the next only after a rest")
    func frames() throws {
        let wires = Wires()
        let output = try wires.output(bits, timing)
        #expect(wires.waits { $0.changes.count == 1 })
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.sent.count == 1 })
        #expect(wires.pulses == bits)
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.sent.count == 2 })
        #expect(wires.pulses == bits + bits)
        let changes = wires.state.withLock { $0.changes }
        #expect(
            changes[bits.count * 2].at.duration(to: changes[bits.count * 2 + 1].at) >= WiegandOutput.rest
                - timing.interval)
        usleep(50_000)
        #expect(wires.pulses == bits + bits)
        #expect(output.end(within: .seconds(30)))
        #expect(wires.state.withLock { $0.isClosed && $0.changes.last?.active == [] })
    }

    @Test("a frame that cannot begin in time is not begun, and one that is cancelled neither")
    func late() throws {
        let wires = Wires()
        let output = try wires.output(bits, timing)
        #expect(wires.waits { $0.changes.count == 1 })
        let now = SystemClock.now()
        output.send(until: now, at: now)
        #expect(wires.waits { $0.sent == [.lost] })
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.sent.count == 2 })
        // The order arrives while another frame is being sent, and is cancelled before its own frame can
        // begin.
        wires.state.withLock { $0.isHeld = true }
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.calls > 1 + bits.count * 2 })
        output.send(until: soon.until, at: soon.now)
        output.cancel()
        wires.state.withLock { $0.isHeld = false }
        #expect(wires.waits { $0.sent.count == 3 })
        usleep(250_000)
        #expect(wires.pulses == bits + bits)
        #expect(output.end(within: .seconds(30)))
    }

    @Test("a wire that fails in a frame ends it: inactive, reported, and not sent again")
    func failing() throws {
        let wires = Wires()
        let output = try wires.output(bits, timing)
        #expect(wires.waits { $0.changes.count == 1 })
        wires.state.withLock { $0.failsAt = 5...6 }
        output.send(until: soon.until, at: soon.now)
        // Wait until the recovery is reported: before that, no further frame is sent on the wires.
        #expect(wires.waits { $0.sent == [.lost] && $0.recoveries == 1 })
        usleep(250_000)
        #expect(wires.pulses == Array(bits.prefix(2)) || wires.pulses == Array(bits.prefix(1)))
        #expect(wires.state.withLock { $0.changes.last?.active == [] && $0.troubles == 1 })
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.sent.count == 2 })
        #expect(wires.pulses?.suffix(bits.count) == bits[...])
        #expect(output.end(within: .seconds(30)))
    }

    @Test(
        "after a failure at the last bit the controller may have the frame; before it, it has none",
        arguments: [(8, .lost), (9, .lost), (10, .unsure), (11, .unsure)] as [(Int, WiegandOutput.Sent)])
    func failingAtTheEnd(_ call: Int, _ result: WiegandOutput.Sent) throws {
        let wires = Wires()
        let output = try wires.output(bits, timing)
        #expect(wires.waits { $0.changes.count == 1 })
        // The first call sets both wires inactive; then each bit takes two calls.
        wires.state.withLock { $0.failsAt = call...call }
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.sent == [result] && $0.recoveries == 1 })
        #expect(output.end(within: .seconds(30)))
        #expect(wires.state.withLock { $0.sending == [true, false] && $0.sent == [result] })
    }

    @Test("a frame has its result, and its rest, whatever comes of the order after it", arguments: [1, 90])
    func twoResults(_ milliseconds: Int) throws {
        let wires = Wires()
        let output = try wires.output(bits, timing)
        #expect(wires.waits { $0.changes.count == 1 })
        wires.state.withLock { $0.isHeld = true }
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.calls == 2 })
        // The second order ends before the first frame has ended, or before the wires have rested.
        let now = SystemClock.now()
        output.send(until: now.advanced(by: .milliseconds(milliseconds)), at: now)
        usleep(10_000)
        wires.state.withLock { $0.isHeld = false }
        #expect(wires.waits { $0.sent.count == 2 })
        let sent = wires.state.withLock { $0.sent }
        #expect(sent.first != .lost && sent.last == .lost && wires.pulses == bits)
        #expect(output.end(within: .seconds(30)))
        #expect(wires.state.withLock { $0.sending } == [true, false, true, false])
    }

    @Test("a thread that is stopped as it takes its order does not begin the frame late")
    func stopped() throws {
        let wires = Wires()
        let now = SystemClock.now()
        let until = now.advanced(by: .milliseconds(100))
        let output = try wires.output(bits, timing) { isSending in
            while isSending, SystemClock.now() <= until { usleep(1000) }
        }
        output.send(until: until, at: now)
        #expect(wires.waits { $0.sent == [.lost] && $0.sending == [true, false] })
        #expect(output.end(within: .seconds(30)) && wires.pulses == [])
    }

    @Test("a machine that is too slow for a controller says so")
    func tooSlow() throws {
        let wires = Wires()
        wires.state.withLock { $0.delay = 25_000 }
        let output = try wires.output([true, false], timing)
        output.send(until: soon.until, at: soon.now)
        #expect(wires.waits { $0.sent.count == 1 })
        guard case .slow? = wires.state.withLock({ $0.sent.first }) else {
            Issue.record("\(wires.state.withLock { $0.sent })")
            return
        }
        #expect(output.end(within: .seconds(30)))
    }
}
