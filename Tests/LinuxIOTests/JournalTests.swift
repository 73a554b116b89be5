import Encoding
import Foundation
import Glibc
import TestKit
import Testing

@testable import LinuxIO

/// The log in journald's native format, sent to a socket that replaces journald's and parsed as journald
/// parses it.
@Suite(.tags(.realTime)) struct JournalTests {
    private let folder: TestFolder
    private var path: String { folder.path + "/socket" }
    private static let time = Timestamp(seconds: 1_800_000_000)

    init() throws { folder = try TestFolder() }

    /// Returns a sink that writes to journald at ``path``. While that socket is absent, the lines go to this
    /// process's standard error.
    private func sink() throws -> LogSink {
        var journal = LogSink.Journal()
        journal.path = path
        journal.id = { $0 == "fault.radio" ? "00112233445566778899aabbccddeeff" : nil }
        return try LogSink(.journal, minimum: .debug, journal: journal, now: { Self.time })
    }

    @Test func aLineHasItsFields() throws {
        let (journal, log) = (try FakeJournal(path), try sink())
        log.log(
            .warning, "visit.ended",
            [
                "visit": "0123abcd", "reasons": ["policy.no-match", "ok"], "retryMs": 7, "accepted": .bool(false),
                "none": .null,
                "more": ["a": 1],
            ])
        let fields = try #require(journal.next())
        #expect(
            fields.map(\.name) == [
                "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "GATEHOUSE_EVENT", "GATEHOUSE_VISIT", "GATEHOUSE_CODE",
                "GATEHOUSE_CODE", "GATEHOUSE_RETRY_MS", "GATEHOUSE_ACCEPTED",
            ])
        let told = fields.map(\.text)
        #expect(told[1...] == ["4", "gatehouse", "visit.ended", "0123abcd", "policy.no-match", "ok", "7", "false"])
        let message = try JSON.parse(told[0])
        #expect(message["event"] == "visit.ended" && message["visit"] == "0123abcd" && message["time"] != nil)
        log.log(.error, "fault", ["code": "fault.radio"])
        let fault = try #require(journal.next())
        #expect(fault.contains { $0.name == "MESSAGE_ID" && $0.text == "00112233445566778899aabbccddeeff" })
        #expect(fault.contains { $0.name == "PRIORITY" && $0.text == "3" })
    }

    /// External text creates neither a field nor a line of its own.
    @Test(arguments: [
        "a\nPRIORITY=0", "a\nGATEHOUSE_VISIT=forged\n", "=", "a=b", "\n\n", "\u{0}\u{1}\u{7F}",
        "MESSAGE\n\u{4}\u{0}\u{0}\u{0}",
        String(repeating: "\n", count: 5000), String(repeating: "é", count: 5000), "\r\nMESSAGE_ID=0",
    ])
    func nothingIsForged(_ text: String) throws {
        let (journal, log) = (try FakeJournal(path), try sink())
        log.log(.info, "agent", ["text": .text(text), "visit": "v"])
        let fields = try #require(journal.next())
        #expect(
            fields.map(\.name) == [
                "MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER", "GATEHOUSE_EVENT", "GATEHOUSE_TEXT", "GATEHOUSE_VISIT",
            ])
        #expect(fields[1].text == "6" && fields[5].text == "v")
        #expect(Array(text.utf8).starts(with: fields[4].value) && fields[4].value.count >= min(text.utf8.count, 1023))
        #expect(String(validating: fields[4].value, as: UTF8.self) != nil, "cut within a character")
        #expect(try JSON.parse(fields[0].value)["text"]?.string == Text(text))
    }

    @Test func longFieldsAreCutAndMarked() throws {
        let (journal, log) = (try FakeJournal(path), try sink())
        var members: JSONObject = ["visit": "v", "code": "internal"]
        for number in 0..<200 { members[Text("member\(number)")] = .text(String(repeating: "x", count: 4000)) }
        members["bad name"] = "x"
        log.log(.info, "agent", members)
        let fields = try #require(journal.next())
        #expect(fields.count == 4 + JournalEntry.mostFields)
        let message = try JSON.parse(fields[0].value)
        #expect(message["visit"] == "v" && message["code"] == "internal" && message["event"] == "agent")
        #expect((message["cut"]?.int ?? 0) > 800_000)
        #expect(fields.allSatisfy { $0.value.count <= JournalEntry.longestMessage })
    }

    /// If journald does not read, lines are lost and counted, and no writer blocks.
    @Test func aJournalThatDoesNotRead() throws {
        let (journal, log) = (try FakeJournal(path), try sink())
        let start = SystemClock.now()
        for number in 0..<3000 {
            log.log(.info, "line", ["number": .int(number), "text": .text(String(repeating: "x", count: 500))])
        }
        #expect(start.duration(to: SystemClock.now()) < .seconds(30))
        let end = SystemClock.now().advanced(by: .seconds(60))
        while log.dropped == 0, SystemClock.now() < end { usleep(10_000) }
        #expect(log.dropped > 0)
        var events: [String] = []
        while let fields = journal.next(within: events.contains("log.dropped") ? 1 : 20_000), events.count < 10_000 {
            events.append(fields.first { $0.name == "GATEHOUSE_EVENT" }?.text ?? "")
            if events.count.isMultiple(of: 100) { log.log(.info, "line") }
        }
        #expect(events.contains("line") && events.contains("log.dropped"), "\(events.count)")
    }

    /// A restarted journald is found again. Without journald, the lines go to standard error.
    @Test func aJournalThatGoesAndComes() throws {
        let log = try sink()
        var journal: FakeJournal? = try FakeJournal(path)
        log.log(.info, "one")
        #expect(journal?.next()?.contains { $0.text == "one" } == true)
        journal = nil
        let before = log.dropped
        log.log(.debug, "this line of a test is meant for standard error")
        #expect(log.flush(within: .seconds(60)) && log.dropped == before)
        journal = try FakeJournal(path)
        log.log(.info, "two")
        #expect(journal?.next()?.contains { $0.text == "two" } == true)
    }

    @Test(.tags(.exact)) func standardErrorConnectedToTheJournal() {
        var status = stat()
        fstat(2, &status)
        #expect(LogSink.Journal.isStandardError("\(status.st_dev):\(status.st_ino)"))
        for other in [nil, "", "1:2", "\(status.st_dev):\(status.st_ino) ", "\(status.st_ino)"] as [String?] {
            #expect(!LogSink.Journal.isStandardError(other))
        }
    }
}

/// Receives datagrams in place of journald.
private final class FakeJournal {
    /// A field of an entry.
    struct Field {
        let name: String
        let value: [UInt8]

        var text: String { String(decoding: value, as: UTF8.self) }
    }

    private let descriptor: Int32
    private let path: String

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        guard descriptor >= 0, withUnixAddress(path, { bind(descriptor, $0, $1) }) == 0 else {
            throw SystemError("binding \(path)", code: errno)
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// Returns the next entry, parsed by journald's protocol: `NAME=value`, or `NAME`, a length in 64 bits
    /// and that many bytes. Returns nil if no entry arrives, or a malformed one.
    func next(within milliseconds: Int32 = 20_000) -> [Field]? {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, milliseconds) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        var rest = bytes[..<count]
        var fields: [Field] = []
        while !rest.isEmpty {
            guard let end = rest.firstIndex(of: 0x0A) else { return nil }
            let line = rest[rest.startIndex..<end]
            rest = rest[(end + 1)...]
            if let mark = line.firstIndex(of: UInt8(ascii: "=")) {
                fields.append(Field(name: Self.text(line[..<mark]), value: Array(line[(mark + 1)...])))
                continue
            }
            let length = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            guard rest.count >= 9 + length, rest[rest.startIndex + 8 + length] == 0x0A else { return nil }
            fields.append(Field(name: Self.text(line), value: Array(rest.dropFirst(8).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return fields
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
