import Encoding
import Glibc
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

/// The thread that shuts the gate, with lines that fail and hang.
@Suite("Relay", .timeLimit(.minutes(2)), .tags(.realTime))
struct LineThreadTests {
    /// Lines whose calls may fail or take long.
    private final class Lines: Sendable {
        struct State {
            var active: Set<String> = []
            var changes: [(at: Instant, active: Set<String>)] = []
            var failures = 0
            /// The number of release calls that fail.
            var refusals = 0
            var attempts = 0
            var delay: Duration?
            var isClosed = false
            var isGone = false
            /// The start of the attempt that is in progress.
            var tried: Instant?
        }

        final class Bank: LineBank {
            let lines: Lines
            init(_ lines: Lines) { self.lines = lines }

            func set(active names: Set<String>) throws(GPIOError) {
                let (fails, delay) = lines.state.withLock { state in
                    state.attempts += 1
                    state.failures -= 1
                    let isRefused = names.isEmpty && state.refusals > 0
                    if isRefused { state.refusals -= 1 }
                    return (state.failures >= 0 || isRefused, names.isEmpty ? nil : state.delay)
                }
                if let delay { usleep(UInt32(delay.nanoseconds / 1000)) }
                if fails { throw .failed(SystemError("setting lines", code: EIO)) }
                let now = SystemClock.now()
                lines.state.withLock { state in
                    state.active = names
                    state.changes.append((now, names))
                }
            }

            func active() throws(GPIOError) -> Set<String> {
                let (active, isGone) = lines.state.withLock { ($0.active, $0.isGone) }
                if isGone { throw .failed(SystemError("reading lines", code: ENODEV)) }
                return active
            }
            func close() { lines.state.withLock { ($0.active, $0.isClosed) = ([], true) } }
            func tries(_ isTrying: Bool) {
                lines.state.withLock { $0.tried = isTrying ? SystemClock.now() : nil }
            }
        }

        let state = Mutex(State())

        func bank() -> sending any LineBank { Bank(self) }

        func waits(_ isTrue: (State) -> Bool) -> Bool { blocksUntil { isTrue(state.withLock { $0 }) } }
    }

    private func relay(
        _ lines: Lines, failed: @escaping @Sendable (LineThread.Trouble?) -> Void = { _ in }
    ) throws -> Relay { try Relay(lines.bank(), line: "gate", failed: failed) }

    /// Returns the lines of a relay that is opened for `pulse`, by a caller that does nothing more; each call
    /// that energises a line takes `delay`.
    private func opened(for pulse: Duration, late delay: Duration?) throws -> Lines {
        let lines = Lines()
        lines.state.withLock { $0.delay = delay }
        let relay = try relay(lines)
        #expect(lines.waits { $0.changes.count == 1 && $0.active.isEmpty })
        let now = SystemClock.now()
        relay.open(until: now.advanced(by: pulse), at: now)
        // There is no pulse if the machine paused for as long as the pulse was to last.
        let late = now.advanced(by: pulse + .seconds(1))
        _ = lines.waits { $0.changes.count == 3 || $0.attempts == 1 && SystemClock.now() > late }
        #expect(relay.end(within: .seconds(30)))
        return lines
    }

    /// Returns the scheduling policies of this process's threads by name: field 41 of /proc/PID/stat, the
    /// 39th after the name (proc(5)).
    private func policies() -> [String: Set<Int>] {
        let threads = Directory.names(in: "/proc/self/task").compactMap { thread -> (String, Int)? in
            // A thread that has ended meanwhile has no policy.
            guard let name = FileBytes.line("/proc/self/task/\(thread)/comm"),
                let stat = FileBytes.read("/proc/self/task/\(thread)/stat", limit: 4096),
                let fields = String(decoding: stat, as: UTF8.self).split(separator: ")").last?.split(separator: " "),
                fields.count > 38
            else { return nil }
            return Int(fields[38]).map { (name, $0) }
        }
        return Dictionary(grouping: threads, by: \.0).mapValues { Set($0.map(\.1)) }
    }

    /// Whether this machine permits real-time priority for a thread of the tests; the system itself is asked.
    private static let mayRunFirst: Bool = {
        let answer = Mutex<Int32?>(nil)
        try? Threads.start("asks") {
            var lowest = sched_param(sched_priority: 1)
            let result = sched_setscheduler(0, SCHED_RR, &lowest)
            answer.withLock { $0 = result }
        }
        return blocksUntil { answer.withLock { $0 } != nil } && answer.withLock { $0 } == 0
    }()

    @Test("the relay's thread has real-time priority; the threads that it starts, and all others, have none")
    func priority() throws {
        let lines = Lines()
        let hasEnded = Mutex(false)
        defer { hasEnded.withLock { $0 = true } }
        lines.state.withLock { $0.refusals = 1 }
        let relay = try relay(lines) { trouble in
            guard trouble != nil else { return }
            // This closure runs on the relay's thread.
            try? Threads.start("of the relay") { while !hasEnded.withLock({ $0 }) { usleep(1000) } }
        }
        let lamps = try LampLines(Lines().bank(), names: ["red"]) { _ in }
        #expect(blocksUntil { policies()["of the relay"] != nil })
        #expect(lines.waits { $0.changes.count == 1 } && blocksUntil { policies()["gatehouse-lamps"] != nil })
        var seen = policies()
        #expect(seen.removeValue(forKey: Relay.threadName) == [Int(Self.mayRunFirst ? SCHED_RR : SCHED_OTHER)])
        #expect(seen["gatehouse-lamps"] != nil && seen["of the relay"] != nil)
        for (name, policies) in seen where name != "asks" {
            #expect(policies.isDisjoint(with: [Int(SCHED_FIFO), Int(SCHED_RR)]), "\(name)")
        }
        #expect(relay.end(within: .seconds(30)) && lamps.end(within: .seconds(30)))
    }

    @Test("a pulse ends by itself, whatever its caller does meanwhile")
    func pulse() async throws {
        let pulse = Duration.milliseconds(500)
        let lines = try await Canary.onTime { try opened(for: pulse, late: nil) }
        let changes = lines.state.withLock { $0.changes }
        try #require(changes.map(\.active) == [[], ["gate"], []])
        let span = changes[1].at.duration(to: changes[2].at)
        #expect(span > pulse - .milliseconds(50) && span <= pulse + .milliseconds(20))
        #expect(lines.state.withLock { $0.isClosed })
    }

    @Test("no caller gets more than the hard limit")
    func hardLimit() throws {
        let lines = Lines()
        let relay = try relay(lines)
        #expect(lines.waits { $0.changes.count == 1 })
        let canary = Canary()
        defer { canary.end() }
        let now = SystemClock.now()
        relay.open(until: now.advanced(by: .seconds(86_400)), at: now)
        #expect(lines.waits { $0.changes.count == 3 })
        let late = canary.sum
        let changes = lines.state.withLock { $0.changes }
        try #require(changes.map(\.active) == [[], ["gate"], []])
        let span = now.duration(to: changes[2].at)
        #expect(span >= Relay.hardLimit && span <= Relay.hardLimit + .milliseconds(100) + late)
        #expect(relay.end(within: .seconds(30)))
    }

    @Test("a line that cannot be released is tried again; failure and success are reported once")
    func retries() throws {
        let lines = Lines()
        let told = Recorder<Bool>()
        let relay = try relay(lines) { trouble in told.add(trouble != nil) }
        #expect(lines.waits { $0.changes.count == 1 })
        lines.state.withLock { $0.refusals = 5 }
        let now = SystemClock.now()
        relay.open(until: now.advanced(by: .seconds(1)), at: now)
        #expect(lines.waits { $0.changes.count == 3 })
        #expect(lines.state.withLock { $0.changes.map(\.active) } == [[], ["gate"], []])
        #expect(lines.state.withLock { $0.attempts } == 8)
        #expect(relay.end(within: .seconds(30)))
        #expect(told.all == [true, false])
    }

    @Test("a line that is energised too late is released at once")
    func hang() async throws {
        let lines = try await Canary.onTime { try opened(for: .milliseconds(500), late: .milliseconds(700)) }
        let changes = lines.state.withLock { $0.changes }
        try #require(changes.map(\.active) == [[], ["gate"], []])
        #expect(changes[1].at.duration(to: changes[2].at) < .milliseconds(20))
    }

    @Test("shutting is at once; a second opening has its own end")
    func shutAndOpen() throws {
        let lines = Lines()
        let relay = try relay(lines)
        #expect(lines.waits { $0.changes.count == 1 })
        var now = SystemClock.now()
        let first = now.advanced(by: .seconds(4))
        relay.open(until: first, at: now)
        #expect(lines.waits { $0.changes.count == 2 })
        relay.shut()
        #expect(lines.waits { $0.changes.count == 3 })
        now = SystemClock.now()
        relay.open(until: now.advanced(by: .seconds(1)), at: now)
        #expect(lines.waits { $0.changes.count == 5 })
        let changes = lines.state.withLock { $0.changes }
        try #require(changes.map(\.active) == [[], ["gate"], [], ["gate"], []])
        #expect(changes[4].at < first)
        #expect(relay.end(within: .seconds(30)))
    }

    @Test("a relay at rest is read back: one that is driven by something else, and a chip that is gone, are found")
    func readBack() throws {
        let lines = Lines()
        let told = Recorder<LineThread.Trouble?>()
        #expect(Relay.readBack == .seconds(2))
        let relay = try Relay(lines.bank(), line: "gate", readBack: .milliseconds(100)) { trouble in
            told.add(trouble)
        }
        #expect(lines.waits { $0.changes.count == 1 })
        lines.state.withLock { $0.active = ["gate"] }
        #expect(lines.waits { _ in told.count == 2 }, "set inactive once more, and told")
        #expect(lines.state.withLock { $0.active.isEmpty })
        lines.state.withLock { $0.isGone = true }
        #expect(lines.waits { _ in told.count >= 3 })
        let troubles = told.all
        #expect(troubles[0]?.error == .active(["gate"]) && troubles[0]?.isStuck == true && troubles[1] == nil)
        #expect(troubles[0]?.isLasting == false, "set right at once")
        #expect(troubles[2]?.error.isGone == true && troubles[2]?.isStuck == false && troubles[2]?.isLasting == true)
        #expect(relay.end(within: .seconds(30)))
    }

    @Test("an attempt is marked before the clock is read by which it is decided; it ends where nothing is wanted")
    func attempts() throws {
        let lines = Lines()
        let marked = Recorder<Bool>()
        let thread = try LineThread(
            name: "test-attempts", lines.bank(),
            wanted: { now in
                let tried = lines.state.withLock { $0.tried }
                marked.add(tried.map { $0 <= now } ?? false)
                return LineThread.Wanted(active: [])
            }, failed: { _ in })
        #expect(lines.waits { $0.changes.count == 1 && $0.tried == nil })
        thread.wake()
        #expect(lines.waits { $0.tried == nil && marked.count >= 3 })
        #expect(thread.end(within: .seconds(30)))
        #expect(!marked.all.contains(false) && lines.state.withLock { $0.tried } == nil)
    }

    @Test("lamps are tried again by themselves")
    func lamps() throws {
        let lines = Lines()
        let lamps = try LampLines(lines.bank(), names: ["red", "green"]) { _ in }
        #expect(lines.waits { $0.changes.count == 1 })
        lines.state.withLock { $0.failures = 3 }
        lamps.show(["green"])
        #expect(lines.waits { $0.active == ["green"] })
        lamps.show(["red", "unknown"])
        #expect(lines.waits { $0.active == ["red"] })
        #expect(lamps.end(within: .seconds(30)))
        #expect(lines.state.withLock { $0.isClosed && $0.active.isEmpty })
    }
}

@Suite("Background work", .timeLimit(.minutes(2)), .tags(.realTime))
struct BackgroundThreadTests {
    @Test("who hands over never waits; the oldest go, and are counted")
    func bounded() throws {
        let thread = try BackgroundThread(name: "test", limit: 4)
        let begun = Mutex(false)
        let gate = Mutex(false)
        let done = Recorder<Int>()
        thread.run {
            begun.withLock { $0 = true }
            while !gate.withLock({ $0 }) { usleep(1000) }
        }
        #expect(blocksUntil { begun.withLock { $0 } })
        let began = SystemClock.now()
        for number in 0..<1000 { thread.run { done.add(number) } }
        #expect(began.duration(to: SystemClock.now()) < .seconds(30))
        #expect(thread.dropped == 996)
        #expect(!thread.flush(within: .milliseconds(20)))
        gate.withLock { $0 = true }
        #expect(thread.flush(within: .seconds(60)))
        #expect(done.all == [996, 997, 998, 999])
    }

    @Test("the log goes on when its reader does, and says how many lines are missing")
    func log() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let log = try LogSink(.file("/proc/self/fd/\(ends[1])"))
        close(ends[1])
        let text = String(repeating: "x", count: 1000)
        for number in 0..<3000 { log.log(.info, "line", ["n": .int(number), "text": .text(text)]) }
        #expect(log.dropped > 0 && !log.flush(within: .milliseconds(20)))
        let reader = ends[0]
        let read = Mutex<[UInt8]>([])
        try Threads.start("reader") {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(reader, &buffer, buffer.count)
                if count <= 0 { return }
                read.withLock { $0 += buffer[..<count] }
            }
        }
        #expect(log.flush(within: .seconds(60)))
        let dropped = log.dropped
        log.log(.info, "last")
        #expect(log.flush(within: .seconds(60)))
        let isRead = blocksUntil {
            let end = read.withLock { $0.suffix(200) }
            return end.last == 0x0A && String(decoding: end, as: UTF8.self).contains("\"last\"")
        }
        #expect(isRead)
        let lines = try read.withLock { $0 }.split(separator: 0x0A).map { try JSON.parse(Array($0)) }
        #expect(lines.last?["event"]?.string == "last")
        let told = lines.filter { $0["event"]?.string == "log.dropped" }.compactMap { $0["lines"]?.int }
        #expect(told.reduce(0, +) == dropped)
        #expect(lines.filter { $0["event"]?.string == "line" }.count == 3000 - dropped)
    }
}
