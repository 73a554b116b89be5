import Encoding
import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

/// An actor that runs on a poll thread, like the radio.
private actor Reader {
    nonisolated let thread: PollThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    private(set) var log: [String] = []
    private(set) var packets = 0
    private(set) var inOrder = true
    private var transport: PacketTransport?
    private var continuation: CheckedContinuation<Void, Never>?
    private var wanted = 0

    init() throws { thread = try PollThread(name: "test-reader") }

    func note(_ text: String) { log.append(text) }

    func start(_ descriptor: Int32) {
        let transport = PacketTransport(descriptor: descriptor)
        self.transport = transport
        thread.watch(descriptor, for: .readable) { [weak self] _ in self?.assumeIsolated { $0.turn() } }
    }

    private func turn() {
        guard let transport else { return }
        for event in transport.receive() {
            switch event {
            case .packet(let bytes):
                let number = bytes.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                inOrder = inOrder && number == packets
                packets += 1
            case .closed:
                thread.unwatch(transport.descriptor)
                transport.close()
                wanted = packets
            }
        }
        resumeIfDone()
    }

    func waitForPackets(_ count: Int) async {
        wanted = count
        await withCheckedContinuation { continuation in
            self.continuation = continuation
            resumeIfDone()
        }
    }

    private func resumeIfDone() {
        guard packets >= wanted else { return }
        continuation?.resume()
        continuation = nil
    }
}

@Suite("Poll thread", .tags(.realTime))
struct PollThreadTests {
    @Test("an actor's calls run on the thread, one after the other, in their order")
    func order() async throws {
        let reader = try Reader()
        for number in 0..<100 { await reader.note("\(number)") }
        #expect(await reader.log == (0..<100).map(String.init))
        let name = await reader.threadName()
        #expect(name == "test-reader")
        #expect(reader.thread.isIsolatingCurrentContext() == false)
    }

    @Test("many callers at once lose nothing")
    func manyCallers() async throws {
        let reader = try Reader()
        await withTaskGroup { group in
            for task in 0..<16 {
                group.addTask { for number in 0..<200 { await reader.note("\(task).\(number)") } }
            }
        }
        let log = await reader.log
        #expect(log.count == 3200)
        for task in 0..<16 {
            #expect(log.filter { $0.hasPrefix("\(task).") } == (0..<200).map { "\(task).\($0)" })
        }
    }

    @Test("a flood of 20,000 packets arrives whole and in order")
    func flood() async throws {
        let (ours, theirs) = try Sockets.pair(SOCK_SEQPACKET)
        let reader = try Reader()
        await reader.start(ours)
        let sender = Thread {
            var packet = [UInt8](repeating: 0xA5, count: 255)
            for number in 0..<20_000 {
                var header: [UInt8] = []
                header.appendLE(UInt32(number))
                packet.replaceSubrange(0..<4, with: header)
                Sockets.writeAll(theirs, packet)
            }
            close(theirs)
        }
        sender.start()
        await reader.waitForPackets(20_000)
        #expect(await reader.packets == 20_000)
        #expect(await reader.inOrder)
    }

    @Test("timers fire in the order of their times, can be moved and disarmed")
    func timers() async throws {
        let thread = try PollThread(name: "test-timer")
        let fired = Recorder<String>()
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let late = thread.makeTimer {
            fired.add("late")
            continuation.finish()
        }
        let never = thread.makeTimer { fired.add("never") }
        let moved = thread.makeTimer { fired.add("moved") }
        let early = thread.makeTimer {
            fired.add("early")
            never.set(nil)
        }
        let now = SystemClock.now()
        // Armed on the thread itself, so that no timer is due before all are armed.
        thread.makeTimer {
            moved.set(now.advanced(by: .seconds(3600)))
            never.set(now.advanced(by: .milliseconds(30)))
            late.set(now.advanced(by: .milliseconds(40)))
            early.set(now.advanced(by: .milliseconds(10)))
            moved.set(now.advanced(by: .milliseconds(20)))
        }.set(.zero)
        for await _ in stream {}
        #expect(fired.all == ["early", "moved", "late"])
        #expect(SystemClock.now() >= now.advanced(by: .milliseconds(40)))
    }

    @Test("a timer never fires before its time, and wakes a thread that sleeps without limit")
    func timerWakes() async throws {
        let thread = try PollThread(name: "test-wake")
        for delay in [0, 1, 5, 20] {
            let (stream, continuation) = AsyncStream<Instant>.makeStream()
            let timer = thread.makeTimer { continuation.yield(SystemClock.now()) }
            let due = SystemClock.now().advanced(by: .milliseconds(delay))
            timer.set(due)
            var iterator = stream.makeAsyncIterator()
            let fired = try #require(await iterator.next())
            #expect(fired >= due)
        }
    }

    @Test("an unwatched descriptor is left alone, also when both became ready together")
    func unwatch() async throws {
        let (a, b) = try Sockets.pair(SOCK_SEQPACKET)
        let (c, d) = try Sockets.pair(SOCK_SEQPACKET)
        defer { [a, b, c, d].forEach { close($0) } }
        let thread = try PollThread(name: "test-unwatch")
        let calls = Mutex(0)
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        Sockets.writeAll(b, [1])
        Sockets.writeAll(d, [1])
        // Registered on the thread itself, so that the thread sees both descriptors ready in the same round.
        thread.makeTimer {
            for descriptor in [a, c] {
                thread.watch(descriptor, for: .readable) { _ in
                    calls.withLock { $0 += 1 }
                    thread.unwatch(a)
                    thread.unwatch(c)
                    continuation.finish()
                }
            }
        }.set(.zero)
        for await _ in stream {}
        let settled = try Reader()
        await settled.note("")
        #expect(calls.withLock { $0 } == 1)
        thread.stop()
    }

    @Test("a descriptor that another thread closes is reported once, not for ever")
    func invalidDescriptor() async throws {
        let (a, b) = try Sockets.pair(SOCK_SEQPACKET)
        defer { close(b) }
        let thread = try PollThread(name: "test-invalid")
        let (stream, continuation) = AsyncStream<PollThread.Interest>.makeStream()
        let copy = fcntl(a, F_DUPFD_CLOEXEC, 900)
        close(a)
        close(copy)
        thread.watch(copy, for: .readable) { continuation.yield($0) }
        var iterator = stream.makeAsyncIterator()
        #expect(await iterator.next() == .hangUp)
        let calls = Mutex(0)
        thread.makeTimer {
            calls.withLock { $0 += 1 }; continuation.finish()
        }
        .set(SystemClock.now().advanced(by: .milliseconds(20)))
        #expect(await iterator.next() == nil)
    }

    @Test("the thread ends with the last reference, also when that goes away on the thread itself")
    func ends() async throws {
        let gone = Mutex(false)
        final class Witness: Sendable {
            let onEnd: @Sendable () -> Void
            init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
            deinit { onEnd() }
        }
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        do {
            let thread = try PollThread(name: "test-ends")
            let witness = Witness {
                gone.withLock { $0 = true }
                continuation.finish()
            }
            // Only the loop's table holds the timer, so it is released with the loop.
            _ = thread.makeTimer { _ = witness }
        }
        for await _ in stream {}
        #expect(gone.withLock { $0 })
    }
}

extension Reader {
    func threadName() -> String {
        FileBytes.line("/proc/thread-self/comm") ?? ""
    }
}
