import Encoding
import Foundation
import Glibc

/// The library `Tests/Peers/stall`, loaded into a program under test. It holds up calls of the program, plays
/// its GPIO chip, and writes down events with their times.
struct Stall: Sendable {
    /// Calls that can be held up, in the order of stall.c.
    enum Held: Int, Sendable {
        /// Writing to the log file.
        case logFile
        /// Writing the display's file.
        case display
        /// Writing and syncing any file of the ledger.
        case ledger
        /// Calls of the control socket's thread on its sockets.
        case control
        /// getaddrinfo(3).
        case resolver
        /// connect(2).
        case connect
        /// Binding a Bluetooth adapter.
        case adapter
        /// The wait of the radio's thread.
        case radio
        /// adjtimex(2) on threads whose names do not begin with `gatehouse-`: verifications.
        case clock
        /// Setting lamps.
        case lamps
    }

    /// The configuration of the chip's lines; the relay's line is requested separately.
    static let sections = [
        "gpio": "chip = \"stall-chip\"",
        "indicator": """
        blue = "BLUE"
        amber = "AMBER"
        green = "GREEN"
        red = "RED"
        tone = "TONE"
        """,
    ]

    /// Returns the section `[gate]` with that pulse.
    static func gate(pulse: Duration) -> String {
        "line = \"RELAY\"\npulse = \"\(pulse / .milliseconds(1))ms\"".replacingOccurrences(of: ".0ms", with: "ms")
    }

    /// The program's own log lines and the events of stall.c.
    let timeline: Journal
    /// The command prefix.
    let prefix: [String]
    private let held: String

    /// Prepares a stall for one process whose files are in `place`. With `point`, a note of the kiosk, calls
    /// of the kind `held` are held up once the kiosk reports that note.
    init(_ place: Workplace, library: String, _ held: Held? = nil, at point: String? = nil) throws {
        let folder = place.path("stall")
        timeline = Journal(folder + "/timeline")
        self.held = folder + "/held"
        try place.write("stall/dev/gpiochip0", "")
        try place.write("stall/held", String(repeating: "0", count: 16))
        prefix =
            ["env", "LD_PRELOAD=\(library)", "STALL_FOLDER=\(folder)"] + (point.map { ["STALL_AT=\($0)"] } ?? [])
            + (held.map { ["STALL_KIND=\($0.rawValue)"] } ?? [])
    }

    /// Builds the library; returns its path.
    static func library(_ place: Workplace) async throws -> String {
        let source = Workplace.peers.appendingPathComponent("stall/stall.c").path
        let words = ["-shared", "-fPIC", "-O1", "-Wall", "-o", place.path("stall.so"), source, "-lpthread", "-ldl"]
        let end = try await Child("clang", words, output: place.path("stall.out")).wait(within: .seconds(60))
        guard end == .exit(0) else {
            throw PeerFailure((try? String(contentsOfFile: place.path("stall.out"), encoding: .utf8)) ?? "no stall.so")
        }
        return place.path("stall.so")
    }

    /// Holds up calls of that kind from now on.
    func hold(_ kind: Held) throws { try set(kind, "1") }

    /// Releases the held calls of that kind, and holds up no more of them.
    func release(_ kind: Held) throws { try set(kind, "0") }

    private func set(_ kind: Held, _ value: Unicode.Scalar) throws {
        let file = open(held, O_RDWR | O_CLOEXEC)
        defer { close(file) }
        var byte = UInt8(ascii: value)
        guard pwrite(file, &byte, 1, off_t(kind.rawValue)) == 1 else { throw PeerFailure("\(held): \(errno)") }
    }

    // MARK: - Observations

    /// Returns the newest invitation that differs from `last`.
    func invitation(otherThan last: String?) async throws -> String {
        let until = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < until {
            if let uri = timeline.events("uri").last?["uri"]?.string?.string, uri != last { return uri }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw PeerFailure("no invitation other than \(last ?? "none")")
    }

    /// One activation of the relay; the times are in nanoseconds.
    struct Pulse {
        let began: Int
        /// Nil while the relay is still energised.
        var length: Int?
        /// The time for which the threads that start the pulse were ready to run before it without a free
        /// processor.
        var delay = 0
        /// The time for which the relay's thread was ready to run during the pulse without a free processor:
        /// the delay that the machine causes.
        var late = 0
    }

    /// The activations of the relay's line.
    var pulses: [Pulse] {
        timeline.events("relay").reduce(into: []) { pulses, line in
            let at = line["ns"]?.int ?? 0
            if line["active"]?.bool == true {
                pulses.append(Pulse(began: at, delay: (line["late"]?.int ?? 0) + (line["told"]?.int ?? 0)))
            } else if let last = pulses.indices.last {
                pulses[last].length = at - pulses[last].began
                pulses[last].late = line["late"]?.int ?? 0
            }
        }
    }

    /// Waits until the relay is energised (or released) for the time number `count`.
    func relay(isActive: Bool, times count: Int = 1, within limit: Duration = .seconds(30)) async throws {
        let until = ContinuousClock.now + limit
        while ContinuousClock.now < until {
            let pulses = pulses
            if pulses.count >= count, isActive || pulses.count > count || pulses[count - 1].length != nil { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw PeerFailure("the relay was not \(isActive ? "energised" : "released") within \(limit)")
    }

    /// Returns the lamps that were lit at that time, or would have been lit if a processor had been free for
    /// the threads that light them.
    func lamps(at nanoseconds: Int) -> Set<Text> {
        let line = timeline.events("lamps").last { ($0["ns"]?.int ?? 0) - ($0["late"]?.int ?? 0) <= nanoseconds }
        return Set((line?["lit"]?.array ?? []).compactMap(\.string))
    }

    /// The lamps at the end.
    var lastLamps: Set<Text> { lamps(at: .max) }

    /// The threads whose calls were held up.
    var heldThreads: Set<Text> { Set(timeline.events("held").compactMap { $0["thread"]?.string }) }
}
