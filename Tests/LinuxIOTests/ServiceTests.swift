import Clocks
import Encoding
import Foundation
import Glibc
import Synchronization
import TestKit
import Testing

@testable import LinuxIO

@Suite("Service manager")
struct ServiceManagerTests {
    /// Returns a bound datagram socket. `address` is the content of sun_path, with a zero byte first for an
    /// abstract name.
    private func receiver(_ address: [UInt8]) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
        let length = socklen_t(2 + address.count)
        let result = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(result == 0)
        return descriptor
    }

    private func next(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        guard Sockets.waitReadable(descriptor) else { return "" }
        let count = read(descriptor, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    @Test("messages arrive as datagrams, at a path and at an abstract name")
    func messages() throws {
        let folder = try TestFolder()
        let name = "gatehouse-test-\(UUID().uuidString)"
        for (variable, address) in [
            ("\(folder.path)/n", Array("\(folder.path)/n".utf8)), ("@\(name)", [0] + Array(name.utf8)),
        ] {
            let socket = try receiver(address)
            defer { close(socket) }
            let manager = ServiceManager(environment: ["NOTIFY_SOCKET": variable, "WATCHDOG_USEC": "30000000"])
            #expect(manager.watchdogInterval == .seconds(15))
            manager.ready(status: "on the air\nREADY=0")
            #expect(next(socket) == "READY=1\nSTATUS=on the air READY=0")
            manager.status("checking")
            #expect(next(socket) == "STATUS=checking")
            manager.alive()
            #expect(next(socket) == "WATCHDOG=1")
            manager.stopping()
            #expect(next(socket) == "STOPPING=1")
        }
    }

    @Test("without systemd, or with nonsense from it, nothing happens")
    func absent() {
        let long = "/" + String(repeating: "x", count: 200)
        for environment in [[:], ["NOTIFY_SOCKET": ""], ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": long]] {
            let manager = ServiceManager(environment: environment)
            manager.ready(status: "x")
            manager.alive()
            #expect(manager.watchdogInterval == nil)
        }
        #expect(ServiceManager(environment: ["WATCHDOG_USEC": "0"]).watchdogInterval == nil)
        #expect(ServiceManager(environment: ["WATCHDOG_USEC": "-5"]).watchdogInterval == nil)
        #expect(ServiceManager(environment: ["WATCHDOG_USEC": "5", "WATCHDOG_PID": "1"]).watchdogInterval == nil)
        let ours = ["WATCHDOG_USEC": "2000", "WATCHDOG_PID": "\(getpid())"]
        #expect(ServiceManager(environment: ours).watchdogInterval == .milliseconds(1))
    }
}

@Suite("Log")
struct LogSinkTests {
    private let time = Timestamp(seconds: 1_767_322_800, nanoseconds: 5_000_000)

    @Test("a line is one JSON object with time, level and event first")
    func lines() throws {
        let folder = try TestFolder()
        let log = try LogSink(.file("\(folder.path)/log"), minimum: .info) { [time] in time }
        log.log(.debug, "too.quiet")
        log.log(.info, "gate.opened", ["visit": "v1", "time": "forged", "ms": 200])
        log.log(.error, "text", ["message": "two\nlines \"quoted\""])
        #expect(log.flush(within: .seconds(60)))
        let text = String(decoding: folder.bytes("log"), as: UTF8.self)
        #expect(
            text == """
                {"time":"2026-01-02T03:00:00.005Z","level":"info","event":"gate.opened","visit":"v1","ms":200}
                {"time":"2026-01-02T03:00:00.005Z","level":"error","event":"text","message":"two\\nlines \\"quoted\\""}

                """)
    }

    @Test("lines of many threads stay whole")
    func threads() async throws {
        let folder = try TestFolder()
        let log = try LogSink(.file("\(folder.path)/log"))
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<100 { log.log(.info, "e", ["task": .int(task), "n": .int(number)]) }
                }
            }
        }
        #expect(log.flush(within: .seconds(60)))
        let lines = folder.bytes("log").split(separator: 0x0A)
        #expect(lines.count == 800)
        #expect(try lines.allSatisfy { try JSON.parse(Array($0))["event"]?.string == "e" })
        #expect(log.dropped == 0)
    }

    @Test("a full device drops lines, counts them and goes on; an impossible path is an error")
    func failures() throws {
        let log = try LogSink(.file("/dev/full"))
        log.log(.info, "one")
        log.log(.info, "two")
        #expect(log.flush(within: .seconds(60)))
        #expect(log.dropped == 2)
        #expect(throws: SystemError.self) { try LogSink(.file("/no/such/folder/log")) }
    }

    @Test("a file that is rotated is made anew with the next line")
    func rotation() throws {
        let folder = try TestFolder()
        let path = "\(folder.path)/log"
        let log = try LogSink(.file(path))
        for event in ["one", "two", "three"] {
            log.log(.info, event)
            #expect(log.flush(within: .seconds(60)))
            if event == "one" { #expect(rename(path, path + ".1") == 0) }
            if event == "two" { #expect(unlink(path) == 0) }
        }
        #expect(String(decoding: folder.bytes("log.1"), as: UTF8.self).contains("one"))
        let text = String(decoding: folder.bytes("log"), as: UTF8.self)
        #expect(text.contains("three") && !text.contains("two") && log.dropped == 0)
    }

    @Test("a file that cannot be had is made as soon as it can; meanwhile the fallback has the lines")
    func fallback() throws {
        let folder = try TestFolder()
        let path = "\(folder.path)/later/log"
        let told = Recorder<Bool>()
        let log = try LogSink(
            .file(path), fallback: .standardError, report: { error in told.add(error == nil) })
        log.log(.debug, "below the level")
        #expect(told.all == [false])
        #expect(mkdir("\(folder.path)/later", 0o700) == 0)
        log.log(.info, "back")
        #expect(log.flush(within: .seconds(60)))
        #expect(told.all == [false, true] && log.dropped == 0)
        #expect(String(decoding: folder.bytes("later/log"), as: UTF8.self).contains("back"))
        // The log is first a link to a device that is always full, and then a file on a disk with free space.
        let full = "\(folder.path)/full"
        #expect(symlink("/dev/full", full) == 0)
        let other = try LogSink(
            .file(full), fallback: .standardOutput, report: { error in told.add(error == nil) })
        other.log(.info, "told-beside-a-full-disk")
        #expect(other.flush(within: .seconds(60)))
        #expect(told.all == [false, true, false] && other.dropped == 0)
    }

    /// A regression test: the start blocked until a process read the pipe.
    @Test("a pipe without a reader delays no start", .timeLimit(.minutes(5)), .tags(.realTime))
    func pipe() throws {
        let folder = try TestFolder()
        let path = "\(folder.path)/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        #expect { try LogSink(.file(path)) } throws: { ($0 as? SystemError)?.code == ENXIO }
        let told = Recorder<Int32?>()
        let log = try LogSink(
            .file(path), fallback: .standardError, report: { error in told.add(error?.code) })
        log.log(.info, "told-beside-a-pipe-without-reader")
        #expect(log.flush(within: .seconds(60)))
        #expect(told.all == [ENXIO] && log.dropped == 0)
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        log.log(.info, "read")
        #expect(log.flush(within: .seconds(60)))
        #expect(told.all == [ENXIO, nil] && log.dropped == 0)
    }

    @Test("levels are ordered")
    func levels() { #expect(LogSink.Level.allCases == LogSink.Level.allCases.sorted()) }
}

@Suite("This start of the machine")
struct BootTests {
    private let kernel = "cf4a3b52-7c29-4a0d-9a52-0f4b8a6f3d11"

    private func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test("the kernel's own id is taken where it can be read")
    func readable() throws {
        let folder = try TestFolder()
        try write(kernel + "\n", folder.path + "/boot_id")
        #expect(try Boot.id(kernel: folder.path + "/boot_id", folder: folder.path) == Text(kernel))
        #expect(folder.bytes("start-id").isEmpty, "none of our own beside it")
        #expect(try Boot.id(folder: nil) == Boot.id(folder: nil), "this machine tells it")
    }

    @Test("where it is hidden, all runs until the folder is emptied share one of our own")
    func hidden() throws {
        let folder = try TestFolder()
        let hidden = folder.path + "/hidden/boot_id"
        let first = try Boot.id(kernel: hidden, folder: folder.path)
        #expect(first.utf8.count == 36 && first != Text(kernel))
        #expect(try Boot.id(kernel: hidden, folder: folder.path) == first)
        try FileManager.default.removeItem(atPath: folder.path + "/start-id")
        let second = try Boot.id(kernel: hidden, folder: folder.path)
        #expect(second != first, "the machine was started again")
        // A file that a power cut or another program damaged does not count.
        for spoilt in ["", "half", String(repeating: "x", count: 36), "CF4A3B52-7C29-4A0D-9A52-0F4B8A6F3D11"] {
            try write(spoilt, folder.path + "/start-id")
            let drawn = try Boot.id(kernel: hidden, folder: folder.path)
            #expect(drawn != Text(spoilt) && drawn != second)
            #expect(try Boot.id(kernel: hidden, folder: folder.path) == drawn)
        }
    }

    @Test("without a folder that can be written each run has one of its own")
    func perRun() throws {
        for folder in [nil, "/proc/nowhere", "/dev/null"] {
            #expect(try Boot.id(kernel: "/nowhere", folder: folder) != Boot.id(kernel: "/nowhere", folder: folder))
        }
    }
}

@Suite("The clock's daemon", .tags(.realTime))
struct TimeDaemonTests {
    /// Makes a bus at a path that accepts one caller and sends `answers` after the handshake.
    private func asked(_ greeting: String, _ answers: [UInt8]) throws -> (answer: Bool?, heard: [UInt8]) {
        let folder = try TestFolder()
        let path = folder.path + "/bus"
        let bus = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
        let isListening = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(bus, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 && listen(bus, 1) == 0
            }
        }
        try #require(isListening)
        let heard = Mutex<[UInt8]>([])
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let caller = accept(bus, nil, nil)
            func hear(_ end: [UInt8]) {
                var byte: UInt8 = 0
                while !heard.withLock({ $0.suffix(end.count) == end[...] }), read(caller, &byte, 1) == 1 {
                    heard.withLock { $0.append(byte) }
                }
            }
            hear(Array("\r\n".utf8))
            Sockets.writeAll(caller, Array(greeting.utf8))
            if greeting.hasPrefix("OK") {
                hear(Array("NTPSynchronized\0".utf8))
                Sockets.writeAll(caller, answers)
            }
            close(caller)
            isOver.signal()
        }
        let answer = TimeDaemon.ask(path)
        isOver.wait()
        close(bus)
        return (answer, heard.withLock { $0 })
    }

    /// A message without header fields of interest.
    private func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        [UInt8(ascii: "l"), type, 0, 1, UInt8(body.count), 0, 0, 0, 9, 0, 0, 0, 5, 0, 0, 0] + [
            5, 1, 117, 0, 2, 0, 0, 0,
        ] + body
    }

    private func boolean(_ value: UInt8) -> [UInt8] { [1, UInt8(ascii: "b"), 0, 0, value, 0, 0, 0] }

    @Test("the property is requested and its value reported, with signals in between")
    func answers() throws {
        let hello = message(2, [2, 0, 0, 0, 58, 49, 0])
        let signal = message(4, boolean(1))
        for (value, expected) in [(UInt8(1), true), (0, false)] {
            let (answer, heard) = try asked("OK 1234\r\n", hello + signal + message(2, boolean(value)))
            #expect(answer == expected)
            #expect(heard.first == 0, "the byte that carries the credentials")
            let text = String(decoding: heard, as: UTF8.self)
            let user = String(getuid()).map { "3\($0)" }.joined()
            #expect(text.contains("AUTH EXTERNAL \(user)\r\n") && text.contains("BEGIN\r\nl"))
        }
    }

    @Test("an unanswered request withdraws nothing for two minutes; an answered one counts at once")
    func unanswered() throws {
        func answers(_ value: UInt8) -> [UInt8] {
            message(2, [2, 0, 0, 0, 58, 49, 0]) + message(2, boolean(value))
        }
        var word = TimeDaemon.LastAnswer()
        #expect(!word.wasAsked)
        for (second, answers, expected) in [
            (0, [], false), (5, answers(1), true), (35, [], true), (40, [], true), (45, answers(1), true),
            (75, answers(0), false), (105, [], false), (110, answers(1), true), (230, [], true), (231, [], false),
            (236, answers(1), true),
        ] as [(Int64, [UInt8], Bool)] {
            let now = Instant(nanoseconds: second * 1_000_000_000)
            let answer = try asked("OK 1234\r\n", answers).answer
            word.take(answer, at: now)
            #expect(word.isSynchronised(at: now) == expected && word.wasAsked, "\(second)")
            #expect(TimeDaemon.LastAnswer.pause(after: answer) == (answers.isEmpty ? 5 : 30))
        }
        #expect(
            !word.isSynchronised(at: Instant(nanoseconds: 357_000_000_000)), "a question that hangs is no answer either"
        )
    }

    @Test("anything else is no answer")
    func nonsense() throws {
        let hello = message(2, [2, 0, 0, 0, 58, 49, 0])
        var big = message(2, boolean(1))
        big[0] = UInt8(ascii: "B")
        var huge = message(2, boolean(1))
        huge[7] = 0xFF
        let others: [[UInt8]] = [
            [], hello, hello + message(3, boolean(1)), hello + big, hello + huge, message(2, boolean(1)),
            hello + message(2, [1, UInt8(ascii: "u"), 0, 0, 1, 0, 0, 0]), hello + message(2, [1]),
            hello + Array(message(2, boolean(1)).dropLast()),
            hello + (0..<20).flatMap { _ in message(4, boolean(1)) },
        ]
        for answers in others { #expect(try asked("OK 1234\r\n", answers).answer == nil, "\(answers)") }
        #expect(try asked("REJECTED EXTERNAL\r\n", []).answer == nil)
        #expect(try asked(String(repeating: "O", count: 300), []).answer == nil)
        #expect(TimeDaemon.ask("/nowhere/bus") == nil)
        #expect(TimeDaemon.ask("/" + String(repeating: "x", count: 200)) == nil)
    }
}

@Suite("Clock and random")
struct ClockTests {
    @Test("the monotonic clock does not go back, the date is later than this program")
    func clocks() {
        let first = SystemClock.now()
        #expect(SystemClock.now() >= first)
        #expect(SystemClock.utc() > Timestamp(seconds: 1_750_000_000))
    }

    @Test("one look has both clocks at one moment")
    func look() {
        let before = SystemClock.now()
        let (first, second) = (Clock.system.look(), Clock.system.look())
        #expect(
            before <= first.monotonic && first.monotonic <= second.monotonic && second.monotonic <= SystemClock.now())
        #expect(first.utc > Timestamp(seconds: 1_750_000_000) && first.isSynchronised == second.isSynchronised)
    }

    @Test("battery-backed clocks are listed with the kernel's data about them")
    func batteryClocks() throws {
        let folder = try TestFolder()
        #expect(BatteryClock.all(root: folder.path).isEmpty)
        for (file, text) in [
            ("rtc0/hctosys", "0\n"), ("rtc1/hctosys", "1\n"), ("rtc1/since_epoch", "1800000000\n"),
            ("rtc2/since_epoch", "soon\n"), ("rtc2/hctosys", String(repeating: "1", count: 5000)),
        ] {
            let url = URL(fileURLWithPath: "\(folder.path)/sys/class/rtc/\(file)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        #expect(
            BatteryClock.all(root: folder.path) == [
                BatteryClock(name: "rtc0", isUsed: false, seconds: nil),
                BatteryClock(name: "rtc1", isUsed: true, seconds: 1_800_000_000),
                BatteryClock(name: "rtc2", isUsed: false, seconds: nil),
            ])
    }

    @Test("a date that the machine wrote down explains what its clock shows after a start, and nothing else")
    func savedDates() throws {
        let folder = try TestFolder()
        let day = try #require(Timestamp(rfc3339: "2026-11-01T06:17:01Z"))
        for (text, date) in [("2026-11-01 06:17:01\n", day), ("", nil), ("yesterday\n", nil), ("2026-11-01\n", nil)] {
            try FileManager.default.createDirectory(atPath: folder.path + "/etc", withIntermediateDirectories: true)
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/etc/fake-hwclock.data"))
            #expect(SavedDate.all(root: folder.path).map(\.date) == [date].compactMap(\.self), "\(text)")
        }
        let saved = SavedDate(.fakeHardwareClock, day)
        for (clock, uptime, isSo) in [
            (30, 30, true), (30, 20, true), (0, 3, true),  // a service sets the clock a moment after the kernel's start
            (5000, 5000, true), (400, 5000, true),  // the service also writes the date down every hour
            (86_400, 600, false),  // the date was changed since
            (-3600, 600, false),  // the clock was never earlier than the date that was written down
        ] as [(Int64, Int64, Bool)] {
            #expect(
                saved.explains(day.advanced(by: .seconds(clock)), uptime: .seconds(uptime)) == isSo,
                "\(clock) \(uptime)")
        }
    }

    @Test("random bytes come in the number asked for and differ")
    func random() throws {
        #expect(try SystemRandom.bytes(0) == [])
        #expect(try SystemRandom.bytes(-1) == [])
        #expect(try SystemRandom.bytes(1000).count == 1000)
        #expect(try SystemRandom.bytes(32) != SystemRandom.bytes(32))
    }
}
