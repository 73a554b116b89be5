import Encoding
import Glibc
import Synchronization

/// Asks systemd-timedated over the system bus whether the kernel's clock is synchronised. The daemon reads that from
/// adjtimex(2), which the service's sandbox forbids because adjtimex(2) can also set the clock.
///
/// The D-Bus messages are encoded here (D-Bus Specification 0.42, "Authentication Protocol" and "Message Format"):
/// there are only two, with fixed content. The file `/run/systemd/timesync/synchronized` cannot replace the daemon's
/// answer. Only systemd-timesyncd creates this file, so it is missing if chrony sets the clock, and it still exists
/// after the synchronisation is lost.
enum TimeDaemon {
    /// The maximum size of a message in bytes. The daemon's answers are far below 1 KiB.
    private static let largest = 16 * 1024

    /// The last answer of the daemon. It stays valid for a while if a later request gets no answer, because a restart
    /// of the bus or of the daemon does not change the clock.
    struct LastAnswer: Sendable {
        /// How long an answer is valid if no newer answer follows.
        static let keeping: Duration = .seconds(120)

        private var last: (isSynchronised: Bool, at: Instant)?
        /// Whether a request has ended, with or without an answer.
        private(set) var wasAsked = false

        /// Stores the result of a request; nil: there was no valid answer.
        mutating func take(_ answer: Bool?, at now: Instant) {
            wasAsked = true
            if let answer { last = (answer, now) }
        }

        /// Returns whether the last answer is still valid at `now` and says that the clock is synchronised.
        func isSynchronised(at now: Instant) -> Bool {
            last.map { $0.isSynchronised && $0.at.duration(to: now) <= Self.keeping } ?? false
        }

        /// Returns the time until the next request, in seconds. It is shorter if the last request had no answer.
        static func pause(after answer: Bool?) -> UInt32 { answer == nil ? 5 : 30 }
    }

    private static let latest = Mutex(LastAnswer())
    /// The thread that sends the requests. The first access to this property starts it. An answer may take seconds,
    /// so no caller waits for it.
    private static let asking: Void = {
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { _ in
                while true {
                    let answer = TimeDaemon.ask()
                    TimeDaemon.latest.withLock { $0.take(answer, at: SystemClock.now()) }
                    sleep(LastAnswer.pause(after: answer))
                }
            }, nil)
    }()

    /// Whether the daemon's last answer is valid and says that the clock is synchronised. False before the first
    /// answer, and if the last answer is older than ``LastAnswer/keeping``.
    static var isSynchronised: Bool {
        _ = asking
        return latest.withLock { $0.isSynchronised(at: SystemClock.now()) }
    }

    /// Waits for the end of the first request, for at most `limit`.
    static func awaitAnswer(within limit: Duration) {
        _ = asking
        let end = SystemClock.now().advanced(by: limit)
        while !latest.withLock({ $0.wasAsked }), SystemClock.now() < end { usleep(1000) }
    }

    /// Sends one request and returns whether the clock is synchronised. Returns nil if there is no valid answer; each
    /// read and write may take two seconds.
    static func ask(_ path: String = "/run/dbus/system_bus_socket") -> Bool? {
        let bus = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard bus >= 0 else { return nil }
        defer { close(bus) }
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(bus, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
        setsockopt(bus, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
        guard connect(bus, to: path) else { return nil }
        // The bus gets the ID of this process's user from the kernel, but the protocol also requires it in
        // hexadecimal. The code of a digit in hexadecimal is "3" and the digit itself.
        let user = String(getuid()).utf8.flatMap { [UInt8(ascii: "3"), $0] }
        guard send(bus, [0] + Array("AUTH EXTERNAL ".utf8) + user + Array("\r\n".utf8)), let answer = line(bus),
            answer.starts(with: Array("OK ".utf8))
        else { return nil }
        let bus1 = ["org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello"]
        let time1 = [
            "org.freedesktop.timedate1", "/org/freedesktop/timedate1", "org.freedesktop.DBus.Properties", "Get",
        ]
        let questions =
            call(1, bus1, []) + call(2, time1, ["org.freedesktop.timedate1", "NTPSynchronized"])
        guard send(bus, Array("BEGIN\r\n".utf8) + questions) else { return nil }
        // Answers arrive in the order of the requests, but signals may arrive between them.
        var answers = 0
        for _ in 0..<16 {
            guard let message = message(bus) else { return nil }
            if message.type == 2 { answers += 1 } else if message.type == 3 { return nil }
            // The body is a variant that contains a boolean: the signature "b", and then 32 bits at an offset that is
            // a multiple of four.
            if answers == 2 {
                return message.body.count == 8 && message.body.starts(with: [1, UInt8(ascii: "b"), 0])
                    ? message.body[4] == 1 : nil
            }
        }
        return nil
    }

    // MARK: - Messages

    /// Encodes a method call. `names` contains the destination, path, interface and member.
    private static func call(_ serial: UInt32, _ names: [String], _ arguments: [String]) -> [UInt8] {
        var fields: [UInt8] = []
        for (code, type, value) in [(6, "s", names[0]), (1, "o", names[1]), (2, "s", names[2]), (3, "s", names[3])] {
            pad(&fields, 8)
            fields += [UInt8(code), 1] + Array(type.utf8) + [0]
            append(value, to: &fields)
        }
        var body: [UInt8] = []
        for argument in arguments {
            pad(&body, 4)
            append(argument, to: &body)
        }
        if !arguments.isEmpty {
            pad(&fields, 8)
            let signature = arguments.map { _ in UInt8(ascii: "s") }
            fields += [8, 1, UInt8(ascii: "g"), 0, UInt8(signature.count)] + signature + [0]
        }
        var message: [UInt8] =
            [UInt8(ascii: "l"), 1, 0, 1] + bytes(UInt32(body.count)) + bytes(serial) + bytes(UInt32(fields.count))
            + fields
        pad(&message, 8)
        return message + body
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes += Self.bytes(UInt32(text.utf8.count)) + Array(text.utf8) + [0]
    }

    private static func pad(_ bytes: inout [UInt8], _ size: Int) {
        while bytes.count % size != 0 { bytes.append(0) }
    }

    private static func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Reads the next message from the bus. Returns nil if none arrives, if it is not little-endian, or if it is
    /// longer than ``largest``.
    private static func message(_ bus: Int32) -> (type: UInt8, body: [UInt8])? {
        guard let head = read(bus, 16), head[0] == UInt8(ascii: "l"), head[3] == 1 else { return nil }
        let (body, fields) = (number(head[4..<8]), number(head[12..<16]))
        guard body <= largest, fields <= largest, let rest = read(bus, (fields + 7) / 8 * 8 + body) else { return nil }
        return (head[1], Array(rest.suffix(body)))
    }

    // MARK: - The socket

    private static func connect(_ bus: Int32, to path: String) -> Bool {
        var target = sockaddr_un()
        target.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < MemoryLayout.size(ofValue: target.sun_path) else { return false }
        withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(bus, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    private static func send(_ bus: Int32, _ bytes: [UInt8]) -> Bool {
        Glibc.send(bus, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// Reads exactly `count` bytes. Returns nil if the connection ends before or a read takes too long.
    private static func read(_ bus: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let more = bytes.withUnsafeMutableBytes { Glibc.read(bus, $0.baseAddress.map { $0 + got }, count - got) }
            guard more > 0 else { return nil }
            got += more
        }
        return bytes
    }

    /// Reads a line of at most 256 bytes, including its line end. Returns nil if there is none.
    private static func line(_ bus: Int32) -> [UInt8]? {
        var line: [UInt8] = []
        while line.count < 256 {
            guard let byte = read(bus, 1)?.first else { return nil }
            line.append(byte)
            if byte == UInt8(ascii: "\n") { return line }
        }
        return nil
    }
}
