import DIDComm
import Encoding
import Mailboxes
import Testing
import VirtualKit

/// The answers that the reader accepts from an agency, or from an impostor.
@Suite struct AgencyReaderTests {
    private func answer(_ name: Text, _ members: JSONObject) throws -> AgencyAnswer {
        var object: JSONObject = ["@type": .string(AgencyType("pairwise", "1.0", name).text)]
        for member in members.members { object[member.name] = member.value }
        return try AgencyAnswer(plaintext: JSON.object(object).compactBytes)
    }

    private func message(_ uid: JSON, status: JSON = "MS-103", payload: JSON = ["protected": "x"]) -> JSON {
        ["uid": uid, "statusCode": status, "payload": payload]
    }

    @Test func tenThousandMessagesAreTakenInPortions() throws {
        let list = (0..<10_000).map { message(.text("u\($0)")) }
        let found = try answer("MSGS", ["msgs": .array(list)]).messages()
        #expect(found.count == AgencyAnswer.messagesLimit)
        #expect(found.first?.uid == "u0" && found.last?.uid == "u255")
        let connections = (0..<1000).map { number -> JSON in
            ["pairwiseDID": .text("did\(number)"), "msgs": .array((0..<10).map { message(.text("\(number)/\($0)")) })]
        }
        let lists = try answer("MSGS_BY_CONNS", ["msgsByConns": .array(connections)]).messagesByConnections()
        #expect(lists.reduce(0) { $0 + $1.messages.count } == AgencyAnswer.messagesLimit)
    }

    @Test func entriesWithoutUsableNameAreLeftOut() throws {
        let long = Text(String(repeating: "u", count: 129))
        let odd: [JSON] = [
            message(-1), message(.number(JSONNumber(validated: "1e400"))), message(nil), message(""),
            message(.string(long)),
            message("u", status: 103), message("u", status: "a status that is far too long"), [], nil, "u",
            ["uid": "u"],
        ]
        let found = try answer("MSGS", ["msgs": .array(odd + [message("good")])]).messages()
        #expect(found.map(\.uid) == ["good"])
        for list in [nil, "x", -1, [:]] as [JSON] {
            #expect(throws: AgencyError.malformed) { try answer("MSGS", ["msgs": list]).messages() }
            #expect(throws: AgencyError.malformed) {
                try answer("MSGS_BY_CONNS", ["msgsByConns": list]).messagesByConnections()
            }
        }
        for did in [nil, "", -1, .string(long)] as [JSON] {
            #expect(throws: AgencyError.malformed) {
                try answer("MSGS_BY_CONNS", ["msgsByConns": [["pairwiseDID": did, "msgs": []]]]).messagesByConnections()
            }
        }
    }

    @Test func payloadsThatNoEnvelopeCanBeAreEmptyAndCanBeReleased() throws {
        let large = JSON.text(String(repeating: "x", count: AgencyMessage.envelopeBytes))
        let odd: [JSON] = [nil, "text", 3, [1], ["protected": large]]
        let found = try answer("MSGS", ["msgs": .array(odd.enumerated().map { message(.text("\($0)"), payload: $1) })])
            .messages()
        #expect(found.count == odd.count)
        #expect(found.allSatisfy { $0.envelope.isEmpty })
    }

    @Test func answersAreMatchedByFamilyAndName() throws {
        let messages = AgencyRequest.messages(AgencyQuery())
        func check(_ type: AgencyType, _ request: AgencyRequest, _ dialect: AgencyDialect) -> AgencyError? {
            do throws(AgencyError) {
                let json: JSON = ["@type": .string(type.text)]
                try AgencyAnswer(plaintext: json.compactBytes).check(answers: request, dialect)
                return nil
            } catch { return error }
        }
        for dialect in AgencyDialect.allCases {
            #expect(check(AgencyType("pairwise", "9.9", "MSGS"), messages, dialect) == nil)
            #expect(
                check(AgencyType("configs", "0.6", "COM_METHOD_UPDATED"), .webhook(id: "", url: ""), dialect) == nil)
            #expect(check(AgencyType("pairwise", "1.0", "MSGS_BY_CONNS"), messages, dialect) == .otherAnswer)
            #expect(check(AgencyType("onboarding", "1.0", "MSGS"), messages, dialect) == .otherAnswer)
            #expect(check(AgencyType("pairwise", "1.0", "problem-report"), messages, dialect) == .problemReport)
        }
        for text in [
            "", "null", "[]", "{}", "{\"@type\":1}", "{\"@type\":\"pairwise/1.0/MSGS\"}", "{\"@type\":\"a//b\"}",
        ] {
            #expect(throws: AgencyError.malformed) { try AgencyAnswer(plaintext: Array(text.utf8)) }
        }
    }

    @Test func errorsAreDistinguished() {
        let kinds: [(code: Text, kind: AgencyProblem.Kind)] = [
            ("GNR-100", .busy), ("AEPSS-101", .busy), ("AEPSS-106", .busy), ("GNR-115", .invalid),
            ("GNR-113", .notFound),
            ("GNR-114", .notFound), ("GNR-121", .unauthorised), ("CS-101", .alreadyConnected),
            ("CS-102", .notConnected),
            ("CS-103", .deleted), ("CS-104", .keyTaken), ("ACS-101", .agentExists), ("ACS-103", .needsToken),
            ("ARS-101", .registered), ("ARS-102", .notRegistered), ("GNR-120", .other), ("AEPSS-107", .other),
        ]
        for (code, kind) in kinds {
            let body: JSON = ["statusCode": .string(code), "statusMsg": "m"]
            #expect(AgencyProblem(status: 400, body: body.compactBytes) == AgencyProblem(code: code))
            #expect(AgencyProblem(code: code).kind == kind, "\(code)")
        }
        #expect(AgencyProblem(status: 500, body: Array("{\"errorTraceId\":\"x\"}".utf8)).kind == .busy)
        #expect(AgencyProblem(status: 500, body: Array("{\"statusCode\":\"GNR-105\"}".utf8)).kind == .busy)
        #expect(AgencyProblem(status: 500, body: Array("{\"statusCode\":\"GNR-121\"}".utf8)).kind == .unauthorised)
        #expect(AgencyProblem(status: 503, body: Array("<html>".utf8)).kind == .busy)
        #expect(AgencyProblem(status: 401, body: []).kind == .unauthorised)
        #expect(AgencyProblem(status: 409, body: []).code == "http-409")
        #expect(AgencyProblem(code: Text(String(repeating: "x", count: 999))).code.utf8.count == 128)
        let long: JSON = ["statusCode": .text(String(repeating: "x", count: 20_000))]
        #expect(AgencyProblem(status: 400, body: long.compactBytes).code == "http-400")
    }

    @Test func partiesNeedADIDAndAKey() throws {
        let key = try #require(KeyPair(seed: Secret([UInt8](repeating: 1, count: 32)))).verkey.base58
        func party(_ did: JSON, _ key: JSON) throws -> AgencyParty? {
            try answer("KEY_CREATED", ["withPairwiseDID": did, "withPairwiseDIDVerKey": key]).party
        }
        #expect(try party("did", .string(key)) != nil)
        #expect(try party("", .string(key)) == nil)
        #expect(try party(.text(String(repeating: "d", count: 65)), .string(key)) == nil)
        for odd in [nil, 1, "", "0OIl", .text(String(repeating: "1", count: 44))] as [JSON] {
            #expect(try party("did", odd) == nil)
        }
    }

    @Test func tokensAreThoseOfTheSponsor() throws {
        let sponsor = try #require(KeyPair(seed: Secret([UInt8](repeating: 4, count: 32))))
        let token = VirtualAgency.token(by: sponsor, nonce: "n")
        #expect(try ProvisionToken(token).json == token)
        for name in ["sponseeId", "sponsorId", "nonce", "timestamp", "sig", "sponsorVerKey"] as [Text] {
            var object = try #require(token.object)
            object[name] = nil
            #expect(throws: AgencyError.malformed, "\(name)") { try ProvisionToken(.object(object)) }
            for value in ["?", 1, .text(String(repeating: "x", count: 1025))] as [JSON] {
                object[name] = value
                #expect(throws: AgencyError.malformed, "\(name)") { try ProvisionToken(.object(object)) }
            }
        }
        var object = try #require(token.object)
        object["attestationData"] = "a"
        object["unknown"] = "b"
        #expect(try ProvisionToken(.object(object)).json["unknown"] == nil)
        #expect(try ProvisionToken(.object(object)).json["attestationData"] == "a")
    }

    @Test func wakeUpsOfEverySpelling() throws {
        for text in [
            #"{"msgUid":"u","pwDid":"d"}"#, #"{"msgId":"u","relationshipDid":"d","msgType":"x"}"#,
            #"{"uid":"u","forDID":"d"}"#,
        ] {
            let wakeUp = try AgencyWakeUp(Array(text.utf8))
            #expect(wakeUp.uid == "u" && wakeUp.pairwiseDID == "d")
        }
        for text in ["", "{}", #"{"msgUid":1,"pwDid":"d"}"#, #"{"msgUid":"","pwDid":"d"}"#, #"{"msgUid":"u"}"#] {
            #expect(throws: AgencyError.malformed) { try AgencyWakeUp(Array(text.utf8)) }
        }
        let poll = AgencyLongPoll(base: "https://a.example", agent: "did")
        #expect(poll.url == "https://a.example/agent/did/notifications?timeout=15000")
        #expect(poll.acknowledgementURL == "https://a.example/agent/did/notifications/ack")
        func unacknowledged(_ text: String) throws -> Int? { try AgencyLongPoll.unacknowledged(in: Array(text.utf8)) }
        #expect(try unacknowledged(#"{"unackedTimestamp":null}"#) == nil)
        #expect(try unacknowledged(#"{"unackedTimestamp":1763700000000}"#) == 1_763_700_000_000)
        #expect(AgencyLongPoll.acknowledgement(of: 3) == Array(#"{"ackTimestamp":3}"#.utf8))
        for text in [
            "", "{}", #"{"unackedTimestamp":-1}"#, #"{"unackedTimestamp":1e99}"#, #"{"unackedTimestamp":"1"}"#,
        ] {
            #expect(throws: AgencyError.malformed) { try unacknowledged(text) }
        }
    }
}
