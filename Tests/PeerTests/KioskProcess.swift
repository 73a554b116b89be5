import Encoding
import Foundation
import TestKit

/// The product as its own process: `gatehouse run` with a configuration of its own, and the other commands
/// next to it.
final class KioskProcess {
    /// The log of all runs, as one journal.
    let journal: Journal
    private let place: Workplace
    private let configuration: String
    private let prefix: [String]
    private let program: String
    /// Whether it has a relay.
    let opens: Bool
    private var child: Child?
    /// The position of the current run in the journal.
    private var beginning = 0

    /// Writes the configuration and starts nothing. `prefix` precedes the command (``Air/networkPrefix``);
    /// `sections` replace or supplement the usual ones. `relay` is a chip of its own; without it the kiosk
    /// has no relay.
    init(
        _ place: Workplace, radioPort: Int, trust: String, invitation: String? = nil, prefix: [String] = [],
        sections: [String: String] = [:], relay: Stall? = nil, program: String = Workplace.product
    ) throws {
        self.place = place
        self.prefix = prefix + (relay?.prefix ?? [])
        self.program = program
        let agent = invitation.map { "invitations = [\"\($0)\"]\n" } ?? ""
        let usual = [
            "kiosk": "name = \"Peer-Gate\"",
            "radio": "transport = \"tcp\"\nhost = \"127.0.0.1\"\nport = \(radioPort)",
            "trust": "directory = \"\(trust)\"",
            "clock": "minimum = \"unset\"",
            "ledger": "path = \"\(place.path("ledger.db"))\"",
            "agent": agent + "allowPlainHTTP = true\nretryFirst = \"200ms\"\nretryLast = \"1s\"",
            "display": "kind = \"none\"",
            // Each visitor finds a new invitation, however soon after the last one, and the same one stays on
            // the air for a slow visitor.
            "tuvali": "previousKey = \"1s\"\nkeyRotation = \"1h\"",
            "log": "path = \"\(place.path("log.jsonl"))\"",
            "control": "path = \"\(place.path("control.sock"))\"",
        ]
        let lines = relay == nil ? [:] : Stall.sections.merging(["gate": Stall.gate(pulse: .milliseconds(200))]) { $1 }
        let all = usual.merging(lines) { $1 }.merging(sections) { $1 }
        opens = all["gpio"] != nil
        configuration = try place.write(
            "gatehouse.toml", all.map { "[\($0.key)]\n\($0.value)\n" }.sorted().joined(separator: "\n"))
        journal = Journal(place.path("log.jsonl"))
    }

    /// Starts `gatehouse run`. Standard output and error are written to a file of the workplace, or to these
    /// descriptors.
    func start(output: Int32? = nil, errors: Int32? = nil) throws {
        beginning = journal.position
        let words = prefix + [program, "run", "--config", configuration]
        var descriptors: [Int32: Int32] = [:]
        (descriptors[1], descriptors[2]) = (output, errors)
        child = try Child(
            words[0], Array(words.dropFirst()), output: place.path("output"), descriptors: descriptors, isGuarded: true)
    }

    /// Returns the current invitation; waits for the first of this run.
    func invitation() async throws -> String {
        try await journal.wait("advertising", from: beginning)
        return journal.events("advertising", from: beginning).last?["uri"]?.string?.string ?? ""
    }

    /// Sends SIGTERM and waits for the end.
    func terminate() async throws -> Child.End? {
        child?.signal(SIGTERM)
        return try await child?.wait(within: .seconds(15))
    }

    /// Sends a signal and waits for the end. Returns how the process ended, after what time, and the part of
    /// that time that the machine caused.
    func end(
        by number: Int32 = SIGTERM, within limit: Duration = .seconds(15)
    ) async throws -> (end: Child.End?, time: Duration, owed: Duration) {
        guard let child else { return (nil, .zero, .zero) }
        let canary = Canary()
        defer { canary.end() }
        var queue = RunQueue(process: child.id)
        let watch = EndWatch(process: child.id)
        let began = ContinuousClock.now
        child.signal(number)
        let end = try await child.wait(within: limit) {
            queue.look()
            return queue.owed
        }
        return (end, try await watch.end() - began, canary.sum + queue.owed)
    }

    /// The resident bytes of the process: its own, and all, with the pages of mapped files (mainly its
    /// program), which the kernel drops and reads again at will. Nil when it does not run.
    var resident: (own: Int, all: Int)? {
        guard let child, let status = try? String(contentsOfFile: "/proc/\(child.id)/status", encoding: .utf8) else {
            return nil
        }
        func bytes(_ name: String) -> Int? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
        }
        guard let own = bytes("RssAnon"), let all = bytes("VmRSS") else { return nil }
        return (own, all)
    }

    /// The memory of the process. Nil when it was not started.
    var memory: ProcessMemory? { child.map { ProcessMemory(of: $0.id) } }

    /// Sends a signal.
    func signal(_ number: Int32) { child?.signal(number) }

    /// Stops the process until SIGCONT.
    func pause() async throws { try await child?.pause() }

    /// Kills the process with SIGKILL.
    func killNow() async throws {
        child?.signal(SIGKILL)
        _ = try await child?.wait(within: .seconds(30))
    }

    /// Whether the process still runs.
    var isRunning: Bool { child.map { $0.poll() == nil } ?? false }

    /// Runs another command of the product and returns its exit code and its standard output's JSON lines.
    func command(_ words: [String]) async throws -> (code: Child.End, lines: [JSON]) {
        let output = place.path("command.jsonl")
        try? FileManager.default.removeItem(atPath: output)
        let child = try Child(program, words + ["--config", configuration, "--json"], output: output)
        let code = try await child.wait(within: .seconds(20))
        return (code, Journal(output).lines)
    }

    /// Returns the answer of `gatehouse status` as soon as the control socket listens and no part is silent.
    /// Each part has a second for its answer: a stuck part stays silent, a part that was only not scheduled
    /// answers the next time.
    func status(within limit: Duration = .seconds(20)) async throws -> (code: Child.End, report: JSON) {
        let until = ContinuousClock.now + limit
        while true {
            let isLate = ContinuousClock.now >= until
            let (code, lines) = try await command(["status"])
            if let report = lines.first, isLate || report["silent"]?.array == [] { return (code, report) }
            if isLate { throw PeerFailure("the service does not say how it is within \(limit)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// One visit of `gatehouse ledger list --json`.
    struct Record: Equatable {
        let seq: Int?
        let visit: Text?
        /// The result, or nil while there is only an intent.
        let result: Text?
        let gateOpened: Bool?
        let hash: Text?
    }

    /// Returns the visits in the ledger, in the order of their numbers.
    func records() async throws -> [Record] {
        let (code, lines) = try await command(["ledger", "list", "--last", "100000"])
        guard code == .exit(0) else { throw PeerFailure("ledger list ends with \(code)") }
        let list = lines.count == 1 ? lines[0].array ?? lines : lines
        let records = list.map { line in
            Record(
                seq: line["seq"]?.int, visit: line["visit"]?.string, result: line["result"]?.string,
                gateOpened: line["gate"]?["opened"]?.bool, hash: line["hash"]?.string)
        }
        return records.sorted { ($0.seq ?? 0) < ($1.seq ?? 0) }
    }

    /// Returns the visits as soon as there are `count` and each has its outcome, which is written after the
    /// end of the visit.
    func records(finished count: Int, within limit: Duration = .seconds(20)) async throws -> [Record] {
        let until = ContinuousClock.now + limit
        while true {
            let isLate = ContinuousClock.now >= until
            let records = try await records()
            if isLate || records.count >= count && records.allSatisfy({ $0.result != nil }) { return records }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns whether the chain is intact, and the report of `ledger verify`.
    func verifyLedger() async throws -> (intact: Bool, report: JSON) {
        let (code, lines) = try await command(["ledger", "verify"])
        let report = lines.last ?? .null
        return (code == .exit(0) && report["intact"]?.bool == true, report)
    }
}
