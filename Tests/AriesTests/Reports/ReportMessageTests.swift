import Encoding
import Testing

@testable import Aries

/// verification-report/1.0 as JSON: a written message reads back, and a message that breaks a rule is refused
/// with that rule's error.
@Suite struct ReportMessageTests {
    private typealias Harness = DeliveryHarness

    private func records(_ positions: ClosedRange<Int> = 7...9, head: Int = 9) throws -> JSON {
        let message = try #require(ReportRecords(positions.map(Harness.entry), head: Harness.point(head)).message)
        return message.json(.didcomm)
    }

    /// Returns the message with one member changed; `entry` is the number of the entry that contains the
    /// member.
    private func changed(_ member: Text, _ value: JSON?, entry: Int? = nil, in part: Text? = nil) throws -> JSON {
        var object = try #require(try records().object)
        if let entry {
            var list = try #require(object["entries"]?.array)
            var inner = try #require(list[entry].object)
            inner[member] = value
            list[entry] = .object(inner)
            object["entries"] = .array(list)
        } else if let part {
            var inner = try #require(object[part]?.object)
            inner[member] = value
            object[part] = .object(inner)
        } else {
            object[member] = value
        }
        return .object(object)
    }

    private func failure(_ json: JSON) -> ReportError? {
        do throws(ReportError) {
            _ = try ReportRecords(json)
            return nil
        } catch {
            return error
        }
    }

    @Test func recordsReadAsTheyWereWritten() throws {
        let json = try JSON.parse(try records().compactBytes)
        #expect(json["@type"] == "https://didcomm.org/verification-report/1.0/records")
        let read = try ReportRecords(json)
        #expect(read.ledger == Harness.ledger && read.head == Harness.point(9))
        #expect(read.entries.map(\.position) == [7, 8, 9])
        #expect(read.entries.map(\.hash) == [7, 8, 9].map { Harness.hash($0) })
        #expect(read.entries.map(\.body) == [7, 8, 9].map { Harness.entry($0).body })
    }

    @Test func theSameEntriesHaveTheSameID() throws {
        #expect(try records()["@id"] == records()["@id"])
        #expect(try records()["@id"] == records(head: 12)["@id"])
        #expect(try records()["@id"] != records(8...9)["@id"])
        #expect(try records()["@id"]?.string?.utf8.count == 36)
    }

    @Test func recordsAgainstTheRulesAreRefused() throws {
        #expect(failure(try records()) == nil)
        #expect(failure(try changed("ledger", nil)) == .malformed(member: "ledger"))
        #expect(failure(try changed("ledger", "")) == .malformed(member: "ledger"))
        #expect(
            failure(try changed("ledger", .text(String(repeating: "x", count: 65)))) == .malformed(member: "ledger"))
        #expect(failure(try changed("entries", [])) == .malformed(member: "entries"))
        #expect(failure(try changed("entries", [:])) == .malformed(member: "entries"))
        #expect(failure(try changed("position", 7, entry: 1)) == .outOfOrder)
        #expect(failure(try changed("position", 9, entry: 1)) == .outOfOrder)
        let gap = ReportRecords([7, 8, 10].map(Harness.entry), head: Harness.point(10)).message
        #expect(failure(try #require(gap).json(.didcomm)) == .outOfOrder)
        #expect(failure(try changed("position", -1, entry: 0)) == .position)
        #expect(failure(try changed("position", 0, entry: 0)) == .position)
        #expect(failure(try changed("body", nil, entry: 2)) == .malformed(member: "body"))
        #expect(failure(try changed("body", "", entry: 2)) == .malformed(member: "body"))
        #expect(failure(try changed("hash", "00", entry: 2)) == .malformed(member: "hash"))
        #expect(failure(try changed("position", 8, in: "head")) == .outOfOrder)
        let other = JSON.text(Hex.encode(Harness.hash(9, 1)))
        #expect(failure(try changed("hash", other, in: "head")) == .otherHash)
        #expect(failure(try changed("head", nil)) == .malformed(member: "position"))
    }

    @Test func aMessageHasAtMost256EntriesAnd256KiB() throws {
        let many = ReportRecords((1...257).map(Harness.entry), head: Harness.point(257)).message
        #expect(failure(try #require(many).json(.didcomm)) == .tooLarge)
        let large = ReportEntry(
            position: 1, hash: Harness.hash(1), body: [UInt8](repeating: 0x61, count: 256 * 1024 + 1), report: nil)
        let one = ReportRecords([large], head: Harness.point(1)).message
        #expect(failure(try #require(one).json(.didcomm)) == .tooLarge)
    }

    /// Numbers that a parser might take for a position.
    @Test(arguments: [
        ("-1", ReportError.position), ("9007199254740993", .position), ("123456789012345678901234567890", .position),
        ("1.0", .position), ("1e3", .position), ("-0", .malformed(member: "position")),
        ("\"1\"", .malformed(member: "position")), ("null", .malformed(member: "position")),
        ("true", .malformed(member: "position")), ("[1]", .malformed(member: "position")),
    ])
    func positionsHaveOneSpelling(text: String, expected: ReportError) throws {
        let json = try JSON.parse(
            "{\"ledger\":\"l\",\"position\":\(text),\"hash\":\"\(String(repeating: "0", count: 64))\"}")
        #expect(throws: expected) { try ReportPoint(json) }
    }

    @Test(arguments: ["", "0", String(repeating: "A", count: 64), String(repeating: "0", count: 63) + "g"])
    func hashesHaveOneSpelling(text: String) throws {
        let json: JSON = ["ledger": "l", "position": 1, "hash": .text(text)]
        #expect(throws: ReportError.malformed(member: "hash")) { try ReportPoint(json) }
    }

    @Test func answersReadAsTheyWereWritten() throws {
        var signed = Harness.point(9)
        signed.signature = (0..<64).map { UInt8($0) }
        let answers: [VerificationReport.Answer] = [
            .receipt(Harness.point(3)), .head(Harness.point(0)), .receipt(Harness.point(3), head: signed),
            .head(Harness.point(5), head: signed), .head(Harness.point(5), head: Harness.point(6)),
        ]
        for answer in answers {
            let json = VerificationReport.message(answer, .legacy, id: "a", thread: "t")
            let message = try Message(plaintext: json.compactBytes)
            #expect(message.thread == "t")
            #expect(try VerificationReport.answer(message) == answer)
        }
        let other = try Message(plaintext: TrustPing.response(.didcomm, id: "a", thread: "t").compactBytes)
        #expect(try VerificationReport.answer(other) == nil)
        let broken = Message.make(MessageType(.didcomm, VerificationReport.name, "receipt"), id: "a")
        let message = try Message(plaintext: broken.compactBytes)
        #expect(throws: ReportError.malformed(member: "ledger")) { try VerificationReport.answer(message) }
    }

    /// Records carry the signed head; records of a gate without a key carry the unsigned head, as before.
    @Test func theHeadOfRecordsIsSigned() throws {
        var head = Harness.point(9)
        #expect(try records()["head"]?.object?.members.map(\.name) == ["position", "hash"])
        head.signature = [UInt8](repeating: 0xAB, count: 64)
        let message = try #require(ReportRecords([Harness.entry(9)], head: head).message).json(.didcomm)
        #expect(message["head"]?["signature"]?.string == Text(String(repeating: "ab", count: 64)))
        #expect(try ReportRecords(message).head == head)
        let bare = try #require(ReportRecords([Harness.entry(9)], head: Harness.point(9)).message)
        #expect(message["@id"]?.string == bare.id, "the same entries have the same id")
    }

    /// A returned head that cannot be read proves nothing; the rest of the answer still counts.
    @Test(arguments: [
        "null", "7", "{}", #"{"position":3}"#, #"{"position":-1,"hash":"00"}"#,
        #"{"position":3,"hash":"H","signature":7}"#, #"{"position":3,"hash":"H","signature":"00"}"#,
    ])
    func aHeadThatCannotBeReadIsNone(text: String) throws {
        let hash = String(repeating: "0", count: 64)
        let head = try JSON.parse(text.replacing("H", with: hash))
        for name in ["receipt", "head"] as [Text] {
            let json = Message.make(
                MessageType(.didcomm, VerificationReport.name, name), id: "a",
                Harness.point(3).members + [.init("head", head)])
            let answer = try VerificationReport.answer(try Message(plaintext: json.compactBytes))
            #expect(answer == (name == "head" ? .head(Harness.point(3)) : .receipt(Harness.point(3))))
        }
    }

    @Test func theConfigurationChoosesTheWay() {
        func way(_ format: ReportFormat, _ confirm: ReportConfirm, _ discloses: Bool?) -> ReportWay? {
            ReportWay(ReportSettings(format: format, confirm: confirm), discloses: discloses)
        }
        #expect(way(.auto, .auto, nil) == nil)
        #expect(way(.auto, .auto, true) == .records)
        #expect(way(.auto, .auto, false)?.form == .single && way(.auto, .auto, false)?.proof == .alive)
        #expect(way(.auto, .receipt, nil) == .records)
        #expect(way(.records, .auto, nil) == .records)
        #expect(way(.auto, .controller, nil)?.proof == .controller)
        #expect(way(.several, .auto, nil)?.form == .several)
        #expect(!ReportSettings(format: .basicmessage, confirm: .receipt).isConsistent)
        #expect(!ReportSettings(format: .records, confirm: .alive).isConsistent)
        #expect(ReportSettings(format: .several, confirm: .controller).isConsistent)
    }
}
