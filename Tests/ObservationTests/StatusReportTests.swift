import Encoding
import Foundation
import Kiosk
import TestKit
import Testing

@testable import Observation

/// The writer and the reader of the status report, and of the reports about connections.
@Suite struct StatusReportTests {
    /// A report in which every member has a value, at any depth. A new member belongs here, too.
    private static let full = """
        {"state":"attention","name":"North-Gate","version":"0.1.0","start":12,"configuration":"00ff",\
        "uptimeSeconds":273600,"observed":"2026-03-02T13:05:00.000Z","silent":["disk"],\
        "faults":[{"code":"fault.agent-unreachable","severity":"warning","since":"2026-03-02T10:05:00.000Z",\
        "seconds":10800,"count":1,"meaning":"It does not answer.","remedy":"Look.","detail":"no connection"}],\
        "radio":{"state":"up","openings":2,"failures":3,"adapterResets":4,"advertisingLapses":5,"linkResets":6,\
        "bufferResets":7,"ignoredPackets":8,"droppedPDUs":9,"phones":1,"refusedPhones":10,"spoiledChunks":11,\
        "repairs":12,"controller":"Bluetooth 5.0"},\
        "light":"ready","gate":{"open":false},"visits":{"abandoned":31,"accepted":412},\
        "reasons":{"accepted":{"ok":412},"rejected":{"policy.<id>":9,"validity.expired":14}},\
        "figures":{"transferMs":{"bounds":[250,500],"counts":[1,2,3],"sum":2000},\
        "transferBytes":{"bounds":[],"counts":[0],"sum":0},"identifiedMs":{"bounds":[5],"counts":[1,1],"sum":7},\
        "decisionUs":{"bounds":[5],"counts":[1,1],"sum":8},"turnUs":{"bounds":[5],"counts":[1,1],"sum":9}},\
        "refusedIntents":0,\
        "door":{"mode":"free","by":"order","since":"2026-03-02T12:31:07.000Z","seconds":2033,"secondsLeft":3600,\
        "inputs":{"contact":true,"fire":null},"passages":398,"tailgating":3,"unused":11,"requests":57,\
        "refusedRequests":2,"forced":1,"heldOpen":0},\
        "ledger":{"id":"3b0c","entries":24680,"visits":12340,"open":1,"lostReports":0},\
        "disk":{"ledgerBytes":18350080,"freeBytes":21474836480,"totalBytes":31268536320},\
        "clock":{"utc":"2026-03-02T13:05:00.000Z","source":"synchronised","unsynchronisedSeconds":17},\
        "trust":{"version":"bundle 42","issuers":3,"issued":"2026-02-20T09:00:00.000Z",\
        "validUntil":"2026-04-20T09:00:00.000Z","age":"fresh","policy":"gate@7 sha256:0123","policySource":"file",\
        "policyFile":"/etc/gatehouse/policy.toml","policyOrigin":"from /etc/gatehouse/policy.toml",\
        "profile":"strict","oldest":"2026-03-02T11:40:00.000Z","refreshed":"2026-03-02T11:40:00.000Z",\
        "soonestExpiry":"2026-04-20T09:00:00.000Z"},\
        "agent":[{"name":"primary","connected":true,"confirmed":24678,"waiting":2,\
        "lastReceipt":"2026-03-02T13:04:52.000Z","faults":["fault.agent-unreachable"]},\
        {"name":"copy","connected":false,"confirmed":0,"waiting":9,"lastReceipt":null,"faults":[]}],\
        "expiry":{"dated":true,"warnings":[{"kind":"status-list","name":"https://a.example/1",\
        "end":"2026-03-04T09:00:00.000Z","text":"the status list ends","days":3}],\
        "next":{"kind":"bundle","name":"bundle 42","end":"2026-04-20T09:00:00.000Z",\
        "text":"the trust ends","days":30}},\
        "sticker":{"made":"2026-01-01","until":"the end of 2026-12-31","warning":"opens the gate"},\
        "log":{"dropped":0}}
        """

    /// The answer about two connections. The first one has every member.
    private static let connections = """
        {"connections":[{"id":"c1","destination":"primary","state":"connected","label":"Agent",\
        "logo":"https://a.example/l","goal":"reports","goalCode":"report","invitation":"i1",\
        "wholeInvitation":{"@id":"i1"},"handshake":"didexchange/1.1","pwDid":"A","theirDid":"B",\
        "endpoint":"https://a.example","mailbox":"https://m.example","made":"2026-03-02T13:05:00.000Z",\
        "present":true,"confirmed":7,"waiting":1,"answered":"2026-03-02T13:05:00.000Z",\
        "answeredSince":"2026-03-02T13:00:00.000Z","asksForMailbox":false,"unsent":0,\
        "problem":{"text":"silent","remedy":"Look."},"ping":{"number":1,"milliseconds":20},"faults":[]},\
        {"id":"c2","mailbox":null,"problem":{"text":"silent","remedy":null},"ping":{"number":2,"milliseconds":null}}]}
        """

    private static let invitation = """
        {"destination":"primary","way":"once","id":"c1","underWay":true,"failure":"no answer"}
        """

    /// Returns the paths of all members that have a value in `json`. The elements of a list share their paths.
    private static func paths(in json: JSON) -> Set<Text> {
        switch json {
        case .array(let elements): elements.reduce(into: []) { $0.formUnion(paths(in: $1)) }
        case .object(let object):
            object.members.filter { !$0.value.isNull }.reduce(into: []) { found, member in
                found.insert(member.name)
                found.formUnion(paths(in: member.value).map { "\(member.name).\($0)" })
            }
        default: []
        }
    }

    @Test func aFullReportIsWrittenAsItWasRead() throws {
        let json = try JSON.parse(Self.full)
        let report = StatusReport(json)
        #expect(report.json.compactText == json.compactText)
        #expect(StatusReport(report.json) == report)
        #expect(StatusReport.memberPaths.subtracting(Self.paths(in: json)) == [], "the text above has every member")
        #expect(report.door?.inputs == [.contact: true, .fire: nil] && report.agents?.count == 2)
        #expect(report.names == ["North-Gate", "3b0c", "primary", "copy", "https://a.example/1", "bundle 42"])
    }

    @Test func connectionsAndInvitationsAreWrittenAsTheyWereRead() throws {
        let json = try JSON.parse(Self.connections)
        #expect(ConnectionReport.List(json).json.compactText == json.compactText)
        #expect(ConnectionReport.List.memberPaths.subtracting(Self.paths(in: json)) == [])
        let answer = try JSON.parse(Self.invitation)
        #expect(InvitationReport(answer).json.compactText == answer.compactText)
        #expect(InvitationReport.memberPaths.subtracting(Self.paths(in: answer)) == [])
        let empty: JSON = ["id": nil, "failure": nil]
        #expect(InvitationReport(empty).json == empty)
    }

    /// A member that another version lacks, or writes in another form, is nil. All other members are read.
    @Test func aMemberOfAnotherVersionIsAbsent() throws {
        let full = try #require(try JSON.parse(Self.full).object)
        for name in full.names {
            var less = full
            less[name] = nil
            #expect(StatusReport(.object(less)).json.compactText == JSON.object(less).compactText, "without \(name)")
            var other = full
            other[name] = true
            #expect(StatusReport(.object(other)) == StatusReport(.object(less)), "\(name): true")
        }
        var more = full
        more["weather"] = ["rain": true]
        #expect(StatusReport(.object(more)) == StatusReport(.object(full)))
        for text in ["[]", "null", "7", "{}"] { #expect(StatusReport(try JSON.parse(text)) == StatusReport()) }
    }

    /// The elements of lists and tables are read one by one.
    @Test func anElementOfAnotherVersionIsLeftOut() throws {
        let report = StatusReport(
            try JSON.parse(
                """
                {"light":"disco","silent":["disk",7],"faults":[1,{"code":"a","severity":"dire"}],
                "visits":{"accepted":"many","failed":3},"reasons":{"accepted":3,"failed":{"ok":1,"x":null}},
                "door":{"mode":"revolving","passages":2,"inputs":{"bell":true,"contact":"ajar","fire":null}},
                "figures":{"transferMs":{"bounds":[1],"counts":[1],"sum":1}},"gate":null,"disk":7}
                """))
        #expect(report.light == nil && report.silent == ["disk"] && report.visits == ["failed": 3])
        #expect(report.faults?.map(\.code) == ["a"] && report.faults?.first?.severity == nil)
        #expect(report.reasons == ["failed": ["ok": 1]])
        #expect(report.door?.mode == nil && report.door?.passages == 2 && report.door?.inputs == [.fire: nil])
        #expect(report.figures != nil && report.figures?.transfer == nil)
        #expect(report.gate == .some(nil) && report.disk == nil)
    }

    /// Every property has a row in the table of its part, so that it has a name. The texts above contain a value of
    /// every part.
    @Test func everyPropertyHasARow() throws {
        var types: Set<String> = []
        func check<Part: StatusObject>(_ part: Part) {
            types.insert("\(Part.self)")
            let properties = Mirror(reflecting: part).children
            #expect(properties.count == Part.members.count, "\(Part.self): \(properties.compactMap(\.label))")
            #expect(Set(Part.members.map(\.path)).count == Part.members.count, "\(Part.self)")
            #expect(Set(Part.members.map(\.name)).count == Part.members.count, "\(Part.self)")
            for property in properties { look(at: property.value) }
        }
        func look(at value: Any) {
            if let part = value as? any StatusObject { return check(part) }
            for child in Mirror(reflecting: value).children { look(at: child.value) }
        }
        check(StatusReport(try JSON.parse(Self.full)))
        check(ConnectionReport.List(try JSON.parse(Self.connections)))
        check(InvitationReport(try JSON.parse(Self.invitation)))
        let sources = Vectors.repository.appendingPathComponent("Sources/Observation/Report")
        let declared = try Vectors.files(in: sources, withExtension: "swift").flatMap { file in
            try String(contentsOf: file, encoding: .utf8).matches(of: /struct ([A-Za-z]+): StatusObject/)
                .map { String($0.1) }
        }
        #expect(declared.count > 15 && declared.sorted() == types.sorted())
        #expect(StatusReport.name(of: \.agents) == "agent")
    }

    /// The document has one row for each member of the report, at any depth. All histograms share one row for each of
    /// their members.
    @Test func theDocumentListsEveryMember() throws {
        let page = try String(
            contentsOf: Vectors.repository.appendingPathComponent("docs/observation.md"), encoding: .utf8)
        let table = page.components(separatedBy: "| member | meaning |").last?.components(separatedBy: "\n\n").first
        let listed = (table ?? "").split(separator: "\n").flatMap { row in
            (row.split(separator: "|").first ?? "").matches(of: /`([A-Za-z.]+)`/).map { String($0.1) }
        }
        let members = Set(
            StatusReport.memberPaths.map { $0.string.replacing(/^figures\.[A-Za-z]+\./, with: "figures.NAME.") })
        #expect(members.count > 100 && Set(listed) == members, "\(Set(listed).symmetricDifference(members))")
        #expect(Set(listed).count == listed.count, "each member has one row")
    }
}
