import Credentials
import Displays
import Encoding
import Features
import Foundation
import Kiosk
import LinuxIO
import Settings
import TestKit
import Testing

@testable import Commissioning

/// The configuration from answers, and the problems of wrong answers.
@Suite struct SetupPlanTests {
    private let pinout: Pinout
    private let machine: SetupMachine
    private let places = SetupPlaces(SetupPlaces.standard)

    init() throws {
        pinout = try SetupFixture.pinout()
        machine = SetupMachine(pinout)
    }

    private func configuration(
        _ texts: [SetupQuestion: String], machine: SetupMachine? = nil, places: SetupPlaces? = nil
    ) throws -> Configuration {
        let places = places ?? self.places
        let plan = try SetupPlan(SetupFixture.answers(texts), on: machine ?? self.machine, at: places)
        return try Configuration.parse(plan.configuration, file: places.file, folder: places.folder)
    }

    private func problems(_ texts: [SetupQuestion: String], machine: SetupMachine? = nil) -> [String: String] {
        do throws(SetupProblems) {
            _ = try SetupPlan(SetupFixture.answers(texts), on: machine ?? self.machine, at: places)
            return [:]
        } catch { return error.byQuestion }
    }

    @Test func everyBoardHasTheLinesOfThePinout() throws {
        var seen = 0
        for chip in pinout.chips {
            for board in chip.boards {
                let configuration = try configuration([.name: "North", .board: board])
                #expect(configuration.gpio.chip == chip.label, "\(board)")
                for signal in pinout.signals {
                    let output = configuration.outputs[signal.role]
                    #expect(output?.name == signal.line && output?.activeLow == !signal.activeHigh, "\(board)")
                }
                #expect(configuration.outputs.count == pinout.signals.count && configuration.notices.isEmpty)
                seen += 1
            }
        }
        #expect(seen == 4)
        let other = try configuration([.name: "North", .chip: "gpio-sim"])
        #expect(other.gpio.chip == "gpio-sim" && other.outputs[.gateRelay]?.name == "GPIO17")
        let none = try configuration([.name: "North", .board: "none"])
        #expect(none.gpio.chip == nil && none.outputs.isEmpty)
    }

    @Test func aBoardThatWasSeenNeedNotBeNamed() throws {
        var seen = machine
        seen.chips = ["pinctrl-rp1", "something-else"]
        #expect(try configuration([.name: "North"], machine: seen).gpio.chip == "pinctrl-rp1")
        #expect(try configuration([.name: "North", .board: "pi4"], machine: seen).gpio.chip == "pinctrl-bcm2711")
        // With two known chips, the board is ambiguous.
        seen.chips = ["pinctrl-rp1", "pinctrl-bcm2711"]
        #expect(problems([.name: "North"], machine: seen)["board"]?.contains("is missing") == true)
        seen.chips = ["other"]
        #expect(problems([.name: "North"], machine: seen)["board"]?.contains("pi5, pi4, pi3, zero, none") == true)
    }

    @Test func everyAnswerReachesItsKey() throws {
        let configuration = try configuration([
            .name: "North", .id: "works-north.1", .board: "pi5", .pulse: "350ms", .direction: "out",
            .display: "ssd1306", .displaySize: "128x32", .radio: "F0:F1:F2:F3:F4:01", .clock: "saved",
            .bundleKey: "z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd", .trustBundle: "/x/gates.bundle",
            .invitation: "https://agent.example/invite", .allowPlainHTTP: "true", .timeServer: "ntp.example",
        ])
        #expect(configuration.kiosk.name == "North" && configuration.kiosk.id == "works-north.1")
        #expect(configuration.gate.pulse == .milliseconds(350) && configuration.gate.direction == .out)
        #expect(
            configuration[DisplaysSection.self].main.kind == .ssd1306
                && configuration[DisplaysSection.self].main.size?.height == 32)
        #expect(configuration.radio.device == "F0:F1:F2:F3:F4:01" && configuration.radio.transport == .userChannel)
        #expect(configuration.clock.minimum == .saved && configuration.trust.bundleKeys.count == 1)
        #expect(configuration.clock.authenticated)
        #expect(configuration.agent.invitations == [places.invitation] && configuration.agent.allowPlainHTTP)
        // A configuration in the usual place has the usual paths.
        #expect(configuration.trust.directory == "/etc/gatehouse/trust")
        #expect(configuration.ledger.path == "/var/lib/gatehouse/gatehouse.db")
    }

    /// The name of a time server is written to a file of chrony, so only names are accepted.
    @Test func aTimeServerIsAName() throws {
        for name in ["ntp.example", "NTP-1.example.org", "192.0.2.1", "nts"] {
            #expect(problems([.name: "N", .board: "none", .timeServer: name]).isEmpty, "\(name)")
            let plan = try SetupPlan(
                SetupFixture.answers([.name: "N", .board: "none", .timeServer: name]), on: machine, at: places)
            #expect(plan.timeServer == name)
        }
        for name in [
            "ntp.example iburst", "ntp.example\nserver evil.example", "ntp.example\r", "ntp.example#", "ntp.example/",
            "ntp.example:123", "user@ntp.example", "[::1]", "::1", "https://ntp.example", ".example", "example.",
            "ntp.exämple", "%6etp.example", String(repeating: "a", count: 254), "?", "a\u{0}b", "/\u{301}",
        ] {
            let told = problems([.name: "N", .board: "none", .timeServer: name])
            #expect(told["time-server"]?.hasPrefix("is not the name of a host") == true && told.count == 1, "\(name)")
        }
        #expect(try !configuration([.name: "N", .board: "none"]).clock.authenticated)
    }

    @Test func theUseOfARelayDecidesThePulse() throws {
        for (use, pulse) in [
            ("turnstile", Duration.milliseconds(200)), ("strike", .seconds(3)), ("magnet", .seconds(5)),
            ("time-relay", .milliseconds(500)),
        ] {
            #expect(try configuration([.name: "N", .board: "pi4", .pulse: use]).gate.pulse == pulse)
        }
        #expect(pinout.pulses.map(\.use) == ["turnstile", "strike", "magnet", "time-relay"])
    }

    @Test func everyDisplayCanBeChosen() throws {
        for kind in DisplaySection.Kind.allCases {
            let configuration = try configuration([.name: "N", .board: "pi4", .display: kind.rawValue])
            #expect(configuration[DisplaysSection.self].main.kind == kind)
            for size in kind.sizes {
                let sized = try self.configuration([
                    .name: "N", .board: "pi4", .display: kind.rawValue, .displaySize: size.text,
                ])
                #expect(sized[DisplaysSection.self].main.size == size)
            }
        }
        // The lines of an e-paper display, in addition to its bus, are those on its picture.
        let panel = try configuration([.name: "N", .board: "pi5", .display: "ssd1680"])[DisplaysSection.self].main.lines
        #expect(panel?.chip == "pinctrl-rp1" && panel?.data == "GPIO5" && panel?.busy == "GPIO4")
        #expect(problems([.name: "N", .board: "none", .display: "ssd1680"]).keys.contains("display"))
    }

    @Test func theRadioTransport() throws {
        let tcp = try configuration([.name: "N", .board: "none", .radio: "tcp://[::1]:6402"]).radio
        #expect(tcp.transport == .tcp && tcp.host == "[::1]" && tcp.port == 6402)
        let serial = try configuration([.name: "N", .board: "none", .radio: "/dev/ttyACM0"]).radio
        #expect(serial.transport == .serial && serial.device == "/dev/ttyACM0")
        var seen = machine
        seen.adapters = ["hci1"]
        #expect(try configuration([.name: "N", .board: "none"], machine: seen).radio.device == "hci1")
        seen.adapters = ["hci0", "hci1"]
        #expect(try configuration([.name: "N", .board: "none"], machine: seen).radio.device == "hci0")
    }

    @Test func aGateElsewhereHasItsFilesNextToIt() throws {
        let other = SetupPlaces("/srv/south/gate.toml")
        let configuration = try configuration(
            [.name: "South", .board: "none", .invitation: "https://agent.example/invite"], places: other)
        #expect(configuration.trust.directory == "/srv/south/trust")
        #expect(configuration.trust.state == "/srv/south/state/trust")
        #expect(configuration.ledger.path == "/srv/south/state/gatehouse.db")
        #expect(configuration.control.path == "/srv/south/control.sock")
        #expect(configuration[DisplaysSection.self].main.file == "/srv/south/invitation.png")
        #expect(
            configuration.agent.invitations == ["/srv/south/agent.invitation"]
                && other.invitation == "/srv/south/agent.invitation")
    }

    /// A further gate on the machine has the paths of its unit, which are the only ones that it may write to.
    @Test func aFurtherGateHasThePlacesOfItsUnit() throws {
        let other = SetupPlaces("/etc/gatehouse/out.toml")
        #expect(other.instance == "out" && other.unit == "gatehouse@out" && other.hasUnit && other.state == nil)
        let configuration = try configuration(
            [.name: "Out", .board: "none", .invitation: "https://agent.example/invite"], places: other)
        #expect(configuration.ledger.path == "/var/lib/gatehouse-out/gatehouse.db")
        #expect(configuration.trust.state == "/var/lib/gatehouse-out/trust")
        #expect(configuration.trust.directory == "/etc/gatehouse/trust", "shared with the first")
        #expect(configuration.control.path == "/run/gatehouse-out/control.sock")
        #expect(configuration[DisplaysSection.self].main.file == "/run/gatehouse-out/invitation.png")
        #expect(
            configuration.agent.invitations == ["/etc/gatehouse/agent-out.invitation"]
                && other.invitation == "/etc/gatehouse/agent-out.invitation")
        let text = """
            [Service]
            StateDirectory=gatehouse-out
            RuntimeDirectory=gatehouse-out
            ProtectSystem=strict
            """
        for place in NamedPlace.all(configuration) where place.isWritten {
            #expect(UnitFile([text]).permits(place.path, writing: true), "\(place)")
        }
        #expect(places.instance == nil && places.unit == "gatehouse" && places.hasUnit)
        for path in [
            "/srv/south/out.toml", "/etc/gatehouse/more/out.toml", "/etc/gatehouse/.toml", "/etc/gatehouse/a b.toml",
            "/etc/gatehouse/out",
            "/etc/gatehouse/%i.toml", "/etc/gatehouse/a\nb.toml", "out.toml",
        ] {
            let places = SetupPlaces(path)
            #expect(places.instance == nil && !places.hasUnit && places.unit == "gatehouse", "\(path)")
        }
    }

    @Test func theSameAnswersMakeTheSameFileAndAllOfItIsSaidWhy() throws {
        let answers = SetupFixture.answers([.name: "North", .board: "pi4", .pulse: "strike"])
        let one = try SetupPlan(answers, on: machine, at: places, source: ["From a test"])
        #expect(one == (try SetupPlan(answers, on: machine, at: places, source: ["From a test"])))
        let lines = String(decoding: one.configuration, as: UTF8.self).split(separator: "\n")
        #expect(lines.prefix(2).allSatisfy { $0.hasPrefix("# ") } && lines[1] == "# From a test")
        for (line, before) in zip(lines.dropFirst(), lines) where line.contains(" = ") && !line.hasPrefix("#") {
            #expect(before.hasPrefix("# "), "\(line)")
        }
        #expect(lines.contains("# Pin 11: relay of turnstile, strike or barrier."))
    }

    /// Answers, in addition to a name and no board, and the problem of one of them.
    static let wrong: [(texts: [SetupQuestion: String], question: SetupQuestion, words: String)] = [
        ([.name: "North Gate"], .name, "1 to 14"), ([.name: "ABCDEFGHIJKLMNO"], .name, "1 to 14"),
        ([.name: "Nörd"], .name, "1 to 14"), ([.name: "a\"\n[gate]"], .name, "1 to 14"),
        ([.name: ""], .name, "is missing"),
        ([.id: "a b"], .id, "1 to 64"),
        ([.board: "pi9"], .board, "not a known board: \"pi9\". Write one of pi5"),
        ([.board: "pi4", .chip: "gpio-sim"], .chip, "cannot be combined with board"),
        ([.pulse: "6s"], .pulse, "from 50ms to 5s"), ([.pulse: "door"], .pulse, "from 50ms to 5s"),
        ([.direction: "up"], .direction, "\"in\""), ([.display: "lcd"], .display, "\"framebuffer\""),
        ([.display: "ssd1306", .displaySize: "64x64"], .displaySize, "\"128x64\" or \"128x32\""),
        ([.display: "framebuffer", .displaySize: "128x64"], .displaySize, "for panels only"),
        ([.radio: "usb0"], .radio, "Write hci0"), ([.radio: "tcp://there"], .radio, "has no port"),
        ([.radio: "/dev/ttyACM0\nExecStartPre=+sh -c id\n#"], .radio, "not a device path"),
        ([.radio: "/dev/ttyACM0\u{7F}"], .radio, "not a device path"),
        ([.radio: "/dev/tty ACM0"], .radio, "not a device path"),
        ([.radio: "tcp://there:0"], .radio, "from 1 to 65535"), ([.radio: "tcp://:1"], .radio, "is empty"),
        ([.clock: "sun"], .clock, "\"rtc\""), ([.trustBundle: "b"], .bundleKey, "is missing"),
        ([.bundleKey: "z6Mk"], .bundleKey, "not an Ed25519 key"),
        (
            [.trustBundle: "b", .bundleKey: key, .issuer: "did:web:a", .issuerType: "t"], .issuer,
            "cannot be combined with"
        ),
        (
            [.trustDirectory: "d", .issuer: "did:web:a", .issuerType: "t"], .issuer,
            "cannot be combined with trust-directory"
        ),
        ([.trustDirectory: "d", .bundleKey: key], .trustDirectory, "accepts only signed bundles"),
        ([.issuerDocument: "d"], .issuerDocument, "without an issuer"),
        ([.issuerRoot: "r"], .issuerRoot, "without an issuer"),
        ([.issuerType: "t"], .issuerType, "without an issuer"), ([.issuer: "did:web:a"], .issuerType, "is missing"),
        ([.context: "https://a.example/c"], .context, "without an issuer"),
        ([.invitation: "ftp://agent.example/x"], .invitation, "http, https or didcomm"),
        ([.invitation: "https://agent.example/?oob=%%%"], .invitation, "copy it again"),
        ([.invitation: "{}"], .invitation, "not an invitation"),
        ([.invitation: "agent.example/?oob=eyJ"], .invitation, "without \"https://\""),
        ([.invitation: "/boot/agent.example/ssi?c_i=eyJ"], .invitation, "without \"https://\""),
        ([.invitation: "agent.example?d_m=eyJ"], .invitation, "without \"https://\""),
        ([.invitation: "http://agent.example/x"], .invitation, "without TLS"),
        ([.invitation: SetupFixture.invitation("http://agent.example")], .invitation, "without TLS"),
        ([.invitation: SetupFixture.invitation("ws://agent.example")], .invitation, "no http or https endpoint"),
    ]
    private static let key = "z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd"

    @Test(arguments: wrong) func aMistakeIsReportedWithItsAnswer(
        _ texts: [SetupQuestion: String], _ question: SetupQuestion, _ words: String
    ) {
        let texts = texts.merging([.name: "North"]) { one, _ in one }
            .merging(texts[.chip] == nil ? [.board: "none"] : [:]) { one, _ in one }
        let told = problems(texts)
        #expect(
            told.keys.sorted() == [question.rawValue] && told[question.rawValue]?.contains(words) == true, "\(told)")
        let alone = SetupPlan.problem(with: question, in: SetupFixture.answers(texts), on: machine, at: places)
        #expect(alone?.question == question)
    }

    @Test func allOfItAtOnceInTheOrderOfTheQuestions() {
        do throws(SetupProblems) {
            _ = try SetupPlan(
                SetupFixture.answers([.pulse: "9s", .trustBundle: "b", .display: "x"]), on: machine, at: places)
            Issue.record("a plan")
        } catch {
            #expect(error.problems.map(\.question) == [.name, .board, .pulse, .display, .bundleKey])
            let options = error.problems.map { SetupOrigin.options.text($0) }
            #expect(options[0].message == "--name is missing" && options[0].remedy == "Give --name North-Gate")
            #expect(options[4].message == "--bundle-key is missing")
            let file = SetupOrigin.file("a.toml").text(error.problems[0])
            #expect(file.message == "a.toml: name is missing" && file.remedy == "Write: name = \"North-Gate\"")
        }
    }

    // MARK: - The answers file

    private func fileProblems(_ text: String) -> [SetupProblem] {
        do throws(SetupProblems) {
            _ = try SetupAnswers(file: Array(text.utf8))
            return []
        } catch { return error.problems }
    }

    @Test func aFileOfAnswers() throws {
        let answers = try SetupAnswers(
            file: Array(
                """
                name = "North"
                board = "none"
                context = ["https://a.example/c", "https://b.example/c=b.jsonld"]
                issuer = "did:web:a.example"
                issuer-type = ["https://a.example/T"]
                issuer-document = "a.json"
                id = ""
                allow-plain-http = true
                replace = true
                """.utf8))
        #expect(answers[.name] == "North" && answers[.id] == "" && answers[.pulse] == nil && answers.replaces)
        #expect(answers[.allowPlainHTTP] == "true")
        let plan = try SetupPlan(answers.resolved(in: "/boot"), on: machine, at: places)
        let contexts = [
            SetupPlan.Context("https://a.example/c"), SetupPlan.Context("https://b.example/c=/boot/b.jsonld"),
        ]
        #expect(
            plan.trust
                == .issuer(
                    "did:web:a.example", types: ["https://a.example/T"], document: "/boot/a.json", root: nil,
                    contexts: contexts))
        #expect(contexts[0].file == nil && contexts[1].url == "https://b.example/c")
    }

    @Test func mistakesInAFileHaveTheirLine() throws {
        let told = fileProblems(
            "\nnmae = \"a\"\nboard = 4\ncontext = [1]\nreplace = \"yes\"\nallow-plain-http = 1\nx = 1\n")
        #expect(told.map(\.line) == [2, 3, 4, 5, 6, 7])
        #expect(told[0].remedy == "Did you mean name?" && told[1].remedy == "Write a text in quotes.")
        #expect(told.last?.remedy?.contains("trust-bundle") == true)
        #expect(fileProblems("name = North").first?.line == 1)
        #expect(
            fileProblems(String(repeating: "#", count: SetupAnswers.largestFile + 1)).first?.message == "is too long")
        // A problem of a value is reported with its line, too.
        let answers = try SetupAnswers(file: Array("board = \"none\"\nname = \"a b\"\n".utf8))
        do throws(SetupProblems) {
            _ = try SetupPlan(answers, on: machine, at: places)
        } catch {
            #expect(SetupOrigin.file("x").text(error.problems[0]).message.hasPrefix("x:2: name is not a name"))
        }
    }

    @Test func theExampleIsAFileOfEveryKey() throws {
        let text = String(
            decoding: try Vectors.bytes(Vectors.repository.appendingPathComponent("deploy/gatehouse-setup.toml")),
            as: UTF8.self)
        let answers = try SetupAnswers(file: Array(text.utf8))
        var seen = machine
        seen.chips = ["pinctrl-bcm2711"]
        _ = try SetupPlan(answers.resolved(in: "/boot/firmware"), on: seen, at: places)
        // "# key = …" is a key that is only mentioned.
        let mentioned = text.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ").map(String.init)
            let key = words.first == "#" ? words.dropFirst() : words[...]
            return key.count > 2 && key.dropFirst().first == "=" ? key.first : nil
        }
        #expect(Set(mentioned) == Set(SetupQuestion.allCases.map(\.rawValue) + ["replace"]))
        // All of them are usable as written.
        let all = text.split(separator: "\n").map { line in
            line.hasPrefix("# ") && mentioned.contains { line.hasPrefix("# \($0) = ") } ? line.dropFirst(2) : line
        }
        _ = try SetupAnswers(file: Array(all.joined(separator: "\n").utf8))
    }
}
