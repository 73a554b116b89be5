import Aries
import Encoding
import Features
import Foundation
import Kiosk
import Testing
import Tuvali

@testable import Commissioning
@testable import Settings
@testable import TrustFiles

private func parse(_ text: String) throws(ConfigurationError) -> Configuration {
    try Configuration.parse(Array(text.utf8), file: "gate.toml", folder: "/etc/gatehouse")
}

private func problems(_ text: String) -> [ConfigurationError.Problem] {
    do {
        _ = try parse(text)
        return []
    } catch {
        return error.problems
    }
}

/// Expects exactly one error in `text`, with that key, line and message, and with a remedy.
private func expectOne(
    _ text: String, _ key: String, _ line: Int?, _ message: String, at location: SourceLocation = #_sourceLocation
) {
    let found = problems(text)
    #expect(found.map(\.key) == [key], sourceLocation: location)
    #expect(found.first?.line == line, sourceLocation: location)
    #expect(found.first?.message == message, sourceLocation: location)
    #expect(found.first?.remedy.isEmpty == false, sourceLocation: location)
}

@Suite("Configuration") struct ConfigurationTests {
    @Test("a name is enough; everything else has its default")
    func defaults() throws {
        let configuration = try parse("[kiosk]\nname = \"North-Gate\"\n")
        #expect(configuration.kiosk.name == "North-Gate")
        #expect(configuration.kiosk.id == "North-Gate")
        #expect(configuration.radio.transport == .userChannel)
        #expect(configuration.radio.device == "hci0")
        #expect(configuration.gpio.chip == nil)
        #expect(configuration.gate.pulse == .milliseconds(200))
        #expect(configuration.gate.whenLedgerFails == .refuse)
        #expect(configuration.trust.profile == nil)
        #expect(configuration.clock.minimum == .rtc)
        #expect(configuration.tuvali.toleratedMissingPercent == 70)
        #expect(configuration.tuvali.generations == [.b])
        #expect(configuration.agent.allowPlainHTTP == false)
        #expect(configuration.ledger.path == "/var/lib/gatehouse/gatehouse.db")
    }

    @Test("values of every kind are taken over, relative paths start at the file")
    func values() throws {
        let configuration = try parse(
            """
            kiosk.name = "Tor_2"
            kiosk.id = "site.north.2"
            [radio]
            transport = "tcp"
            host = "controller.local"
            port = 9544
            advertisingInterval = "1s"
            [gpio]
            chip = "pinctrl-rp1"
            [gate]
            line = "GPIO17"
            activeLow = true
            pulse = "5s"
            whenLedgerFails = "open"
            [indicator]
            green = "GPIO22"
            [trust]
            directory = "trust"
            [agent]
            invitations = ["one.json", "/two.url"]
            [tuvali]
            generations = ["a", "b"]
            [log]
            path = "../log/gate.jsonl"
            """)
        #expect(configuration.tuvali.generations == [.b, .a])
        #expect(configuration.kiosk.id == "site.north.2")
        #expect(configuration.radio.transport == .tcp)
        #expect(configuration.radio.port == 9544)
        #expect(configuration.radio.advertisingInterval == .seconds(1))
        #expect(configuration.gpio.chip == "pinctrl-rp1")
        #expect(configuration.outputs[.gateRelay]?.name == "GPIO17")
        #expect(configuration.outputs[.gateRelay]?.activeLow == true)
        #expect(configuration.gate.pulse == .seconds(5))
        #expect(configuration.gate.whenLedgerFails == .open)
        #expect(configuration.outputs[.greenLamp]?.name == "GPIO22")
        #expect(configuration.outputs[.redLamp] == nil)
        #expect(configuration.trust.directory == "/etc/gatehouse/trust")
        #expect(configuration.agent.invitations == ["/etc/gatehouse/one.json", "/two.url"])
        #expect(configuration.log.path == "/etc/log/gate.jsonl")
        #expect(configuration.effective["gate"]?["pulse"]?.string == "5s")
        #expect(configuration.effective["gate"]?["activeLow"]?.bool == true)
    }

    @Test("a gate may have a controller in place of a relay")
    func controller() throws {
        let text =
            "[kiosk]\nname = \"G\"\n[gpio]\nchip = \"c\"\n"
            + "[wiegand]\ndata0 = \"A\"\ndata1 = \"B\"\nfacility = 90\ncard = 324"
        let configuration = try parse(text)
        let wiegand = configuration[WiegandSection.self]
        #expect(wiegand.wires == ["A", "B"] && wiegand.frame == WiegandFrame(.h10301, facility: 90, card: 324))
        #expect(configuration.outputs.mapValues(\.name) == [.wire0: "A", .wire1: "B"])
    }

    @Test(
        "each mistake is located, named and has a remedy",
        arguments: [
            ("[kiosk]\n", "kiosk.name", 1, "is missing"),
            ("[kiosk]\nname = \"\"", "kiosk.name", 2, "is not a name that every wallet reads in the same way"),
            (
                "[kiosk]\nname = \"fifteen-letters\"", "kiosk.name", 2,
                "is not a name that every wallet reads in the same way"
            ),
            ("[kiosk]\nname = \"Tür\"", "kiosk.name", 2, "is not a name that every wallet reads in the same way"),
            ("[kiosk]\nname = 5", "kiosk.name", 2, "is a whole number"),
            ("[kiosk]\nname = \"G\"\nid = \"a b\"", "kiosk.id", 3, "is not an identifier"),
            ("kiosk.name = \"G\"\n[gate]\n\npuls = \"1s\"", "gate.puls", 4, "is not a known key"),
            ("kiosk.name = \"G\"\n[gate]\npulse = \"5001ms\"", "gate.pulse", 3, "5001ms is out of range"),
            ("kiosk.name = \"G\"\n[gate]\npulse = \"0ms\"", "gate.pulse", 3, "0ms is out of range"),
            ("kiosk.name = \"G\"\n[gate]\npulse = 200", "gate.pulse", 3, "is a whole number"),
            ("kiosk.name = \"G\"\n[gate]\npulse = \"0.2s\"", "gate.pulse", 3, "does not take \"0.2s\""),
            ("kiosk.name = \"G\"\n[gate]\npulse = 2026-01-01", "gate.pulse", 3, "is a date or time"),
            (
                "kiosk.name = \"G\"\n[gate]\nwhenLedgerFails = \"maybe\"", "gate.whenLedgerFails", 3,
                "does not take \"maybe\""
            ),
            ("kiosk.name = \"G\"\n[gate]\nactiveLow = \"yes\"", "gate.activeLow", 3, "does not take \"yes\""),
            ("kiosk.name = \"G\"\n[clock]\nminimum = \"given\"", "clock.minimum", 3, "does not take \"given\""),
            ("kiosk.name = \"G\"\n[trust]\nprofile = \"none\"", "trust.profile", 3, "does not take \"none\""),
            ("kiosk.name = \"G\"\n[radio]\nport = 70000", "radio.port", 3, "70000 is out of range"),
            ("kiosk.name = \"G\"\n[radio]\nport = 1.5", "radio.port", 3, "is a number with a fraction"),
            ("kiosk.name = \"G\"\n[radio]\ntransport = \"usb\"", "radio.transport", 3, "does not take \"usb\""),
            ("kiosk.name = \"G\"\n[radio]\ndevice = \"eth0\"", "radio.device", 3, "is not an adapter"),
            ("kiosk.name = \"G\"\n[radio]\ntransport = \"serial\"", "radio.device", 2, "is not a device path"),
            (
                "kiosk.name = \"G\"\n[radio]\ntransport = \"serial\"\ndevice = \"/dev/ttyACM0\\nUser=root\"",
                "radio.device", 4,
                "is not a device path"
            ),
            (
                "kiosk.name = \"G\"\n[radio]\ntransport = \"serial\"\ndevice = \"/dev/ttyACM0 rw\"", "radio.device", 4,
                "is not a device path"
            ),
            (
                "kiosk.name = \"G\"\n[radio]\ntransport = \"serial\"\ndevice = \"/dev/ttyACM0\\u007F\"", "radio.device",
                4,
                "is not a device path"
            ),
            ("kiosk.name = \"G\"\n[radio]\ntransport = \"tcp\"\nhost = \"\"", "radio.host", 4, "is empty"),
            ("kiosk.name = \"G\"\n[tuvali]\ngenerations = []", "tuvali.generations", 3, "is empty"),
            ("kiosk.name = \"G\"\n[tuvali]\ngenerations = \"b\"", "tuvali.generations", 3, "does not take \"b\""),
            (
                "kiosk.name = \"G\"\n[tuvali]\ngenerations = [\"b\", \"A\"]", "tuvali.generations", 3,
                "does not take \"A\""
            ),
            (
                "kiosk.name = \"G\"\n[tuvali]\ngenerations = [\"a\", \"a\"]", "tuvali.generations", 3,
                "names \"a\" twice"
            ),
            ("kiosk.name = \"G\"\n[gpio]\nchip = \"c\"", "gate.line", nil, "is missing"),
            ("kiosk.name = \"G\"\n[gate]\nline = \"GPIO5\"", "gate.line", 3, "has no chip"),
            ("kiosk.name = \"G\"\n[indicator]\nred = \"GPIO5\"", "indicator.red", 3, "has no chip"),
            (
                "kiosk.name = \"G\"\n[gpio]\nchip = \"c\"\n[gate]\nline = \"GPIO5\"\n[indicator]\nred = \"GPIO5\"",
                "indicator.red", 7, "uses GPIO5, which gate.line uses too"
            ),
            (
                "kiosk.name = \"G\"\n[gpio]\nchip = \"c\"\n[wiegand]\ndata0 = \"GPIO20\"\n", "wiegand.data1", 4,
                "is missing"
            ),
            (
                "kiosk.name = \"G\"\n[gpio]\nchip = \"c\"\n[wiegand]\ndata0 = \"GPIO20\"\ndata1 = \"GPIO20\"",
                "wiegand.data1", 6, "uses GPIO20, which wiegand.data0 uses too"
            ),
            (
                "kiosk.name = \"G\"\n[gpio]\nchip = \"c\"\n[wiegand]\ndata0 = \"GPIO20\"\ndata1 = \"A\"\ncard = 65536",
                "wiegand.card", 7, "65536 does not fit H10301"
            ),
            (
                "kiosk.name = \"G\"\n[gpio]\nchip = \"c\"\n[wiegand]\ndata0 = \"GPIO20\"\ndata1 = \"A\"\nformat = \"H10302\"\nfacility = 1",
                "wiegand.facility", 8,
                "1 does not fit H10302"
            ),
            (
                "kiosk.name = \"G\"\n[gpio]\nchip = \"c\"\n[wiegand]\ndata0 = \"GPIO20\"\ndata1 = \"A\"\npulseMicroseconds = 150\nintervalMicroseconds = 299",
                "wiegand.intervalMicroseconds", 8, "leaves no gap between two pulses"
            ),
            ("kiosk.name = \"G\"\n[wiegand]\ndata0 = \"A\"\ndata1 = \"B\"", "wiegand.data0", 3, "has no chip"),
            ("kiosk.name = \"G\"\n[agent]\ninvitations = \"one\"", "agent.invitations", 3, "does not take \"one\""),
            ("kiosk.name = \"G\"\n[agent]\ninvitations = [1]", "agent.invitations", 3, "is a list"),
            (
                "kiosk.name = \"G\"\n[agent]\nretryFirst = \"1h\"\nretryLast = \"1min\"", "agent.retryLast", 4,
                "is shorter than agent.retryFirst"
            ),
            (
                "kiosk.name = \"G\"\n[agent]\nformat = \"basicmessage\"\nconfirm = \"receipt\"", "agent.confirm", 4,
                "\"receipt\" cannot be combined with agent.format \"basicmessage\""
            ),
            (
                "kiosk.name = \"G\"\n[agent]\nconfirm = \"alive\"\nformat = \"records\"", "agent.confirm", 3,
                "\"alive\" cannot be combined with agent.format \"records\""
            ),
            (
                "kiosk.name = \"G\"\n[[agent.copy]]\ninvitations = [\"a\"]", "agent.copy", 2, "has no unique name"
            ),
            (
                "kiosk.name = \"G\"\n[[agent.copy]]\nname = \"primary\"\ninvitations = [\"a\"]", "agent.copy", 2,
                "has no unique name"
            ),
            (
                "kiosk.name = \"G\"\n[[agent.copy]]\nname = \"b\"\ninvitations = [\"a\"]\n[[agent.copy]]\nname = \"b\"\n"
                    + "invitations = [\"c\"]", "agent.copy", 2, "has no unique name"
            ),
            ("kiosk.name = \"G\"\n[[agent.copy]]\nname = \"b\"", "agent.copy", 2, "has no invitations"),
            (
                "kiosk.name = \"G\"\n[[agent.copy]]\nname = \"b\"\ninvitations = [7]", "agent.copy", 2,
                "has no invitations"
            ),
            (
                "kiosk.name = \"G\"\n[[agent.answer]]\nquestion = \"Q\"", "agent.answer", 2,
                "needs a unique question and a response, at most 1024 bytes each"
            ),
            (
                "kiosk.name = \"G\"\n[[agent.answer]]\nquestion = \"\"\nresponse = \"R\"", "agent.answer", 2,
                "needs a unique question and a response, at most 1024 bytes each"
            ),
            (
                "kiosk.name = \"G\"\n[[agent.answer]]\nquestion = \"Q\"\nresponse = \"R\"\n[[agent.answer]]\n"
                    + "question = \"Q\"\nresponse = \"S\"", "agent.answer", 2,
                "needs a unique question and a response, at most 1024 bytes each"
            ),
            (
                "kiosk.name = \"G\"\n[agent]\nrootsFile = \"r.pem\"\n[display]\nfile = \"r.pem\"", "agent.rootsFile", 3,
                "is /etc/gatehouse/r.pem, which display.file uses too"
            ),
            ("gate = 5\nkiosk.name = \"G\"", "gate", 1, "is a section, not a value"),
            ("kiosk.name = \"G\"\n[extra]\n", "extra", 2, "is not a known key"),
            ("kiosk.name = \"G\"\n[extra.deep]\nx = 1", "extra.deep.x", 3, "is not a known key"),
        ] as [(String, String, Int?, String)])
    func mistakes(_ text: String, _ key: String, _ line: Int?, _ message: String) {
        expectOne(text, key, line, message)
    }

    /// One use of a file destroyed another: the display's picture replaced the database, a witness with the
    /// database's path moved it away, and a log wrote into the witness.
    @Test(
        "a file has one use, however it is spelt",
        arguments: [
            ("[ledger]\npath = \"/s/a.db\"\nwitness = \"/s/a.db\"", "ledger.witness", 4, "/s/a.db", "ledger.path"),
            (
                "[ledger]\npath = \"/s/a.db\"\nwitness = \"/s/../s/a.db\"", "ledger.witness", 4, "/s/../s/a.db",
                "ledger.path"
            ),
            (
                "[ledger]\npath = \"/s/a.db\"\nreserve = \"/s/./a.db-wal\"", "ledger.reserve", 4, "/s/./a.db-wal",
                "ledger.path"
            ),
            (
                "[ledger]\nwitness = \"/var/lib/gatehouse/gatehouse.db.witness-key\"", "ledger.witness", 3,
                "/var/lib/gatehouse/gatehouse.db.witness-key", "ledger.witnessKey"
            ),
            (
                "[ledger]\npath = \"/s/a.db\"\n[display]\nfile = \"/s/a.db\"", "display.file", 5, "/s/a.db",
                "ledger.path"
            ),
            (
                "[ledger]\npath = \"/s/a.db\"\n[log]\npath = \"/s//a.db.witness\"", "log.path", 5, "/s//a.db.witness",
                "ledger.witness"
            ),
            (
                "[ledger]\npath = \"/s/a.db\"\n[log]\npath = \"/s/a.db.clock\"", "log.path", 5, "/s/a.db.clock",
                "ledger.path"
            ),
            (
                "[ledger]\npath = \"/s/a.db\"\nwitnessKey = \"/s/a.db.agent-key\"", "ledger.witnessKey", 4,
                "/s/a.db.agent-key", "agent.keyFile"
            ),
            (
                "[control]\npath = \"/run/gatehouse/invitation.png\"", "control.path", 3,
                "/run/gatehouse/invitation.png", "display.file"
            ),
            (
                "[policy]\nfile = \"p.toml\"\n[display]\nfile = \"p.toml\"", "policy.file", 3, "/etc/gatehouse/p.toml",
                "display.file"
            ),
        ] as [(String, String, Int?, String, String)])
    func oneUseOfAFile(_ text: String, _ key: String, _ line: Int?, _ path: String, _ owner: String) {
        expectOne("kiosk.name = \"G\"\n" + text, key, line, "is \(path), which \(owner) uses too")
    }

    @Test(
        "no output takes a name that tells the program, or root, something",
        arguments: [
            ("[display]\nfile = \"/run/gatehouse/reset-radio\"", "display.file", "/run/gatehouse/reset-radio"),
            ("[observe]\nstatus = \"/run/gatehouse/start-id\"", "observe.status", "/run/gatehouse/start-id"),
            ("[log]\npath = \"/run/gatehouse/./running\"", "log.path", "/run/gatehouse/./running"),
            ("[log]\npath = \"/run/gatehouse/start-id.new\"", "log.path", "/run/gatehouse/start-id.new"),
            (
                "[display]\nfile = \"/run/gatehouse/bluetoothd-stopped\"", "display.file",
                "/run/gatehouse/bluetoothd-stopped"
            ),
        ])
    func namesWithAMeaning(_ text: String, _ key: String, _ path: String) {
        expectOne("kiosk.name = \"G\"\n" + text, key, 3, "is \(path), which the service itself uses too")
    }

    @Test func outputFilesHaveDifferentPaths() {
        expectOne(
            "kiosk.name = \"G\"\n[display]\nfile = \"/s/a.png\"\n[observe]\nstatus = \"/s/a.png.new\"",
            "observe.status", 5, "is /s/a.png.new, which display.file uses too")
        expectOne(
            "kiosk.name = \"G\"\n[log]\npath = \"/s/b.new\"\n[observe]\nstatus = \"/s/b\"",
            "observe.status", 5, "needs /s/b.new, which log.path uses too")
    }

    @Test func noOutputIsInTheFolderOfTrust() {
        let text = "kiosk.name = \"G\"\n[trust]\ndirectory = \"/s/trust\"\n[observe]\nstatus = "
        expectOne(
            text + "\"/s/x/../trust/issuers.toml\"", "observe.status", 5,
            "is /s/x/../trust/issuers.toml, in the folder of the trust data")
        expectOne(text + "\"/s/trust\"", "observe.status", 5, "is /s/trust, in the folder of the trust data")
        #expect(throws: Never.self) { try parse(text + "\"/s/trusted.json\"") }
    }

    /// An empty path meant the folder of the configuration, and the service waited for it. A zero byte ends a
    /// path for the system, so that two names meant one file.
    @Test(
        "a file has a path",
        arguments: [
            ("[ledger]\npath = \"\"", "ledger.path", 3, "is a folder"),
            ("[ledger]\npath = \"/var/lib/\"", "ledger.path", 3, "is a folder"),
            ("[display]\nfile = \".\"", "display.file", 3, "is a folder"),
            (
                "[ledger]\npath = \"/s/a.db\"\nwitness = \"/s/a.db\\u0000x\"", "ledger.witness", 4,
                "holds a control character"
            ),
            ("[log]\npath = \"/var/log/a\\nb\"", "log.path", 3, "holds a control character"),
        ])
    func pathsOfFiles(_ text: String, _ key: String, _ line: Int?, _ message: String) {
        expectOne("kiosk.name = \"G\"\n" + text, key, line, message)
    }

    @Test("a display that is no file takes none")
    func noDisplayFile() {
        #expect(
            problems("kiosk.name = \"G\"\n[display]\nkind = \"none\"\nfile = \"/var/lib/gatehouse/gatehouse.db\"")
                .isEmpty)
    }

    @Test("what is answered to questions, in the order of the file")
    func answers() throws {
        func section(_ question: String, _ response: String) -> String {
            "[[agent.answer]]\nquestion = \"\(question)\"\nresponse = \"\(response)\"\n"
        }
        let long = String(repeating: "é", count: 512)
        let agent = try parse("kiosk.name = \"G\"\n" + section("Open?", "Yes") + section("open?", long)).agent
        let answers = agent.rules.answers
        #expect(answers.map(\.question) == ["Open?", "open?"])
        #expect(answers.map(\.response) == ["Yes", Text(long)])
        #expect(problems("kiosk.name = \"G\"\n" + section("Open?", long + "é")).map(\.key) == ["agent.answer"])
        let most = RequestRules.maxAnswers
        func many(_ count: Int) -> String { (0..<count).map { section("\($0)", "R") }.joined() }
        #expect(problems("kiosk.name = \"G\"\n" + many(most)).isEmpty)
        #expect(problems("kiosk.name = \"G\"\n" + many(most + 1)).map(\.key) == ["agent.answer"])
    }

    @Test(
        "which mailbox there is",
        arguments: [
            ("auto", .auto, nil), ("none", .none, nil),
            ("mail.url", .invitation("/etc/gatehouse/mail.url"), "/etc/gatehouse/mail.url"),
            ("/run/mail", .invitation("/run/mail"), "/run/mail"),
            ("https://agent.example/?oob=e30", .invitation("https://agent.example/?oob=e30"), nil),
        ] as [(String, MailboxChoice, String?)])
    func mailbox(_ text: String, _ choice: MailboxChoice, _ file: String?) throws {
        let agent = try parse("kiosk.name = \"G\"\n[agent]\nmailbox = \"\(text)\"").agent
        #expect(agent.mailbox == choice && agent.mailbox.file == file)
    }

    @Test(
        "an invitation in the place of a file is refused, and nothing of it repeated",
        arguments: [
            "https://agent.example/?oob=SECRET", "agent.example/?oob=SECRET", "agent.example/in?c_i=SECRET",
            #" {\"@id\": \"SECRET\"}"#, "https://agent.example/SECRET",
        ])
    func invitationForAFile(_ invitation: String) {
        let link = invitation.contains("://")
        for (key, text) in [
            ("agent.invitations", "[agent]\ninvitations = [\"a.json\", \"\(invitation)\"]"),
            ("agent.invitations", "[agent]\ninvitations = \"\(invitation)\""),
            ("agent.copy", "[[agent.copy]]\nname = \"b\"\ninvitations = [\"\(invitation)\"]"),
            ("agent.mailbox", "[agent]\nmailbox = \"\(invitation)\""),
        ] {
            let found = problems("kiosk.name = \"G\"\n\(text)")
            // `agent.mailbox` accepts the invitation's URL.
            if key == "agent.mailbox", link {
                #expect(found.isEmpty)
                continue
            }
            #expect(found.map(\.key) == [key] && found.first?.remedy.isEmpty == false, "\(found)")
            #expect(!"\(found)".contains("SECRET"), "\(found)")
            let isList = !text.contains("invitations = \"")
            #expect(!isList || found.first?.message == "is an invitation, not a file", "\(found)")
        }
    }

    @Test("a misspelt key is answered with the right one")
    func suggestion() {
        #expect(
            problems("kiosk.name = \"G\"\n[gate]\nwhenLedgerFail = \"open\"").first?.remedy
                == "Did you mean gate.whenLedgerFails?")
        #expect(problems("kiosk.name = \"G\"\n[gate]\nzzzzzzzzzzzzzz = 1").first?.remedy.contains("example") == true)
    }

    @Test("all problems are found in one go, in the order of their lines")
    func allAtOnce() throws {
        let text = "[kiosk]\nname = \"G\"\nnme = 1\n[gate]\npulse = \"9s\"\n[log]\nlevel = \"loud\"\n"
        let error = #expect(throws: ConfigurationError.self) { try parse(text) }
        #expect(error?.problems.map(\.line) == [3, 5, 7])
        let lines = error?.description.split(separator: "\n") ?? []
        #expect(lines.count == 3)
        #expect(lines.last?.hasPrefix("gate.toml:7: log.level: does not take \"loud\". Write \"debug\" or") == true)
        #expect(error?.json["problems"]?.array?.first?["line"]?.int == 3)
    }

    @Test(
        "what is not TOML is located",
        arguments: [
            ("[kiosk]\nname = North\n", 2), ("[kiosk\n", 1), ("[kiosk]\nname = \"a\"\nname = \"b\"\n", 3),
            ("[kiosk]\nname = \"a\n", 2),
            ("[]", 1), ("\n [.gate]", 2), ("[[ ^x]]", 1), ("[[", 1), ("[ü]", 1),
        ])
    func syntax(_ text: String, _ line: Int) {
        let found = problems(text)
        #expect(found.count == 1)
        #expect(found.first?.line == line)
        #expect(found.first?.message.hasPrefix("is not TOML: ") == true)
    }

    @Test("a file that is no text, or is absent, is an error with its path")
    func unreadable() {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.parse([0xFF, 0xFE], file: "x.toml", folder: "/")
        }
        #expect(error?.file == "x.toml")
        let absent = #expect(throws: ConfigurationError.self) { try Configuration.load("/no/such/gatehouse.toml") }
        #expect(absent?.description.hasPrefix("/no/such/gatehouse.toml: does not exist. ") == true)
    }

    @Test("hostile input never traps")
    func mutations() throws {
        let example = Array("[kiosk]\nname = \"G\"\n[gate]\npulse = \"1s\"\ninvitations = [\"a\", {b = 1}]\n".utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            var bytes = example
            for _ in 0...Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = try? Configuration.parse(bytes, file: "fuzz", folder: "/")
        }
    }
}

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "units",
        arguments: [
            ("0ms", 0), ("200ms", 200), ("1s", 1000), ("5min", 300_000), ("24h", 86_400_000), ("7d", 604_800_000),
        ])
    func parse(_ text: String, _ milliseconds: Int) {
        #expect(DurationText.parse(text) == .milliseconds(milliseconds))
    }

    @Test(
        "everything else is refused",
        arguments: [
            "", "5", "s", "-1s", "1.5s", "1 s", "1S", "1sec", "٣s", "99999999999999999999s", "40000d",
            "9223372036854775807d",
        ])
    func refused(_ text: String) { #expect(DurationText.parse(text) == nil) }

    @Test("written text reads back", arguments: [0, 1, 999, 1000, 1500, 60_000, 90_000, 3_600_000, 86_400_000])
    func roundTrip(_ milliseconds: Int) {
        let duration = Duration.milliseconds(milliseconds)
        #expect(DurationText.parse(DurationText.write(duration)) == duration)
    }
}
