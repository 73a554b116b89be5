import Commissioning
import Encoding
import Features
import Kiosk
import LinuxIO
import Observation
import Reasons
import Settings
import Testing

/// Every finding of the doctor, one case each, on a gate that is otherwise in order.
@Suite struct DoctorTests {
    /// A defect, and the only finding that it must lead to: `check state code`.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let more: String
        let display: String
        private(set) var found: [String]
        let spoil: @Sendable (inout MachineFacts) -> Void

        init(
            _ name: String, _ found: String..., more: String = "", display: String = "kind = \"ssd1306\"",
            spoil: @escaping @Sendable (inout MachineFacts) -> Void = { _ in }
        ) {
            (self.name, self.found, self.more, self.display, self.spoil) = (name, found, more, display, spoil)
        }

        init(_ name: String, _ found: [String], spoil: @escaping @Sendable (inout MachineFacts) -> Void) {
            self.init(name, spoil: spoil)
            self.found = found
        }

        var testDescription: String { name }
    }

    @Test func nothingIsWrong() throws {
        let gate = try HealthyGate()
        #expect(gate.findings.state == .good && gate.findings.exitCode == 0, "\(gate.findings)")
        #expect(gate.findings.allSatisfy { $0.code == nil && $0.remedy == nil && !$0.detail.isEmpty })
        let checks = Set(gate.findings.map(\.check))
        #expect(checks == Set(Finding.Check.allCases).subtracting([.output, .input, .sticker, .voice]))
        let declared = gate.findings.map { Finding.Check.allCases.firstIndex(of: $0.check) ?? 0 }
        #expect(declared == declared.sorted())
    }

    @Test func theRelaysPriorityIsReported() throws {
        var gate = try HealthyGate()
        func told() -> [String] { gate.findings.map(\.detail).filter { $0.contains("real-time priority") } }
        #expect(told() == [])
        gate.facts.relaysRunFirst = true
        #expect(told() == ["the relay's thread has real-time priority"])
        gate.facts.relaysRunFirst = false
        #expect(told().count == 1 && told()[0].contains("has no"))
        #expect(gate.findings.exitCode == 0)
    }

    @Test func timeServerAuthenticationIsReported() throws {
        for (names, words) in [
            ([], "kept right by a time server, none is authenticated"),
            (["ntp.example"], "kept right by a time server, chrony has with authentication: ntp.example"),
        ] as [([String], String)] {
            var gate = try HealthyGate(more: "[clock]\nauthenticated = \(!names.isEmpty)\n")
            gate.facts.clock.authenticated = names
            let told = gate.findings.filter { $0.check == .clock }
            #expect(told.count == 1 && told[0].state == .good && told[0].detail.hasSuffix(words), "\(told)")
        }
    }

    @Test(arguments: machine + files + radio + lines + shown + clocks + rules + service) func isFoundAlone(
        _ one: Case
    ) throws {
        var gate = try HealthyGate(more: one.more, display: one.display)
        one.spoil(&gate.facts)
        let wrong = gate.findings.filter { $0.state != .good }
        #expect(wrong.map { "\($0.check) \($0.state) \($0.code ?? "-")" } == one.found)
        for finding in wrong { #expect(finding.remedy?.isEmpty == false && !finding.detail.isEmpty, "\(finding)") }
        let isBad = one.found.contains { $0.contains(" bad ") }
        #expect(gate.findings.exitCode == (one.found.isEmpty ? 0 : isBad ? 2 : 1))
    }

    static let machine: [Case] = [
        Case("no unit", "unit warning box.not-installed") { $0.unit = nil },
        Case("swap that the unit forbids") { $0.swaps = ["/swapfile"] },
        Case("swap that the unit allows", "unit warning box.swap") {
            $0.swaps = ["/swapfile"]
            $0.unit = UnitFile(HealthyGate.unitFiles + ["[Service]\nMemorySwapMax=infinity\n"])
        },
        Case("swap that a kernel allows which does not count", "unit warning box.swap") {
            ($0.swaps, $0.countsMemory) = (["/dev/mmcblk0p3"], false)
        },
        Case("no user", "user bad box.no-user", "files unknown -") { $0.account = nil },
        Case("groups that are not there", "user bad box.no-group", "user bad box.no-group") {
            $0.missingGroups = ["spi", "i2c"]
        },
        Case(
            "a key that is used no more", "configuration warning box.configuration", more: "[agent]\nqueue = 5\n"),
    ]

    static let files: [Case] = [
        Case("trust that the service may not read", "files bad box.unreadable") {
            $0.places["/etc/gatehouse/trust/issuers.toml"] = HealthyGate.place(isFolder: false, owner: 0)
        },
        Case("a configuration that only root may read", "files bad box.unreadable") {
            $0.configurationFile = "/etc/gatehouse/gatehouse.toml"
            $0.places["/etc/gatehouse/gatehouse.toml"] = HealthyGate.place(isFolder: false, owner: 0)
        },
        Case("a document that only root may read", "files bad box.unreadable") {
            $0.trustFiles = ["/etc/gatehouse/trust/did/a.json"]
            $0.places["/etc/gatehouse/trust/did/a.json"] = HealthyGate.place(isFolder: false, owner: 0)
        },
        Case("an invitation that only root may read", "files bad box.unreadable", more: invitation) {
            $0.places["/etc/gatehouse/a.invitation"] = HealthyGate.place(isFolder: false, owner: 0)
        },
        Case("an invitation that is yet to come", more: invitation) {
            $0.places["/etc/gatehouse/a.invitation"] = HealthyGate.missing(3)
        },
        Case("many files that only root may read", manyFiles) {
            $0.trustFiles = (0..<20).map { "/etc/gatehouse/trust/did/\($0).json" }
            for path in $0.trustFiles { $0.places[path] = HealthyGate.place(isFolder: false, owner: 0) }
        },
        Case("no issuers.toml", "files bad box.missing") {
            $0.places["/etc/gatehouse/trust/issuers.toml"] = HealthyGate.missing(1)
        },
        Case("a database that root made", "files bad box.unwritable") {
            $0.places["/var/lib/gatehouse/gatehouse.db"] = HealthyGate.place(isFolder: false, owner: 0, mode: 0o644)
        },
        Case("a folder that is not the service's", "files bad box.unwritable") {
            $0.places["/var/lib/gatehouse"] = HealthyGate.place(isFolder: true, owner: 0, mode: 0o755)
        },
        Case("a folder that nobody may enter", "files bad box.unreadable") {
            for path in ["/etc/gatehouse/trust", "/etc/gatehouse/trust/issuers.toml"] {
                $0.places[path]?.nodes[1] = .init(user: 0, group: 0, mode: 0o700, isFolder: true)
            }
        },
        Case("what systemd makes may be missing") {
            for path in ["/var/lib/gatehouse", "/run/gatehouse"] { $0.places[path] = HealthyGate.missing(1) }
            for path in $0.places.keys where path.hasPrefix("/var/lib/gatehouse/") {
                $0.places[path] = HealthyGate.missing(2)
            }
        },
        Case("no folder, without a unit that makes it", "unit warning box.not-installed", "files bad box.unwritable") {
            $0.unit = nil
            $0.places["/var/lib/gatehouse"] = HealthyGate.missing(1)
            for path in $0.places.keys where path.hasPrefix("/var/lib/gatehouse/") {
                $0.places[path] = HealthyGate.missing(2)
            }
        },
        Case(
            "keys in a folder that is not there", "unit warning box.not-installed", "files bad box.missing",
            more: "[ledger]\nwitness = \"/var/lib/gatehouse/w/a\"\nwitnessKey = \"/var/lib/gatehouse/w/b\"\n"
        ) {
            $0.unit = nil
            for name in ["a", "b"] { $0.places["/var/lib/gatehouse/w/\(name)"] = HealthyGate.missing(2) }
        },
        Case("a log outside the sandbox", "files bad box.outside-sandbox", more: "[log]\npath = \"/srv/gate.log\"\n"),
        Case(
            "rules in somebody's home", "files bad box.outside-sandbox",
            more: "[policy]\nfile = \"/home/pi/policy.toml\"\n"),
        Case("rules that are not there", "files bad box.missing", more: "[policy]\nfile = \"policy.toml\"\n") {
            $0.places["/etc/gatehouse/policy.toml"] = HealthyGate.missing(1)
        },
        Case("a ledger's folder that everybody may write to", "files bad fault.ledger-unopened") {
            $0.places["/var/lib/gatehouse"] = HealthyGate.place(isFolder: true, mode: 0o777)
        },
        Case("a ledger's folder of somebody else, who lets the service in", "files bad fault.ledger-unopened") {
            $0.places["/var/lib/gatehouse"] = HealthyGate.place(isFolder: true, owner: 1000, mode: 0o757)
        },
        Case("a reserve elsewhere has another rule", more: "[ledger]\nreserve = \"/var/lib/gatehouse/r/reserve\"\n") {
            $0.places["/var/lib/gatehouse/r"] = HealthyGate.place(isFolder: true, mode: 0o777)
        },
        Case("files that one may not look at", "files unknown -") { $0.unseen = 3 },
        Case("a disk that nobody can ask", "disk unknown -") { $0.disk = nil },
        Case("a disk that went read-only", "disk bad box.read-only") { $0.disk?.isReadOnly = true },
        Case("a full disk", "disk bad box.disk-full") { $0.disk?.free = 10_000_000 },
        Case("a disk that takes no more files", "disk bad box.disk-full") { $0.disk?.takesFiles = false },
        Case("a small disk", "disk warning box.disk-small") { $0.disk?.free = 1_000_000_000 },
        Case("a disk that the records have filled already") {
            $0.disk = .init(free: 500_000_000, used: 1_900_000_000)
        },
    ]

    /// The first eight findings, and the number of further ones.
    private static let manyFiles = Array(repeating: "files bad box.unreadable", count: 9)
    private static let invitation = "[agent]\ninvitations = [\"a.invitation\"]\n"

    static let radio: [Case] = [
        Case("no Bluetooth", "radio bad radio.no-bluetooth") { $0.radio.adapters = nil },
        Case("no adapter", "radio bad radio.not-found") { $0.radio.adapters = [] },
        Case("another adapter", "radio bad radio.not-found") { $0.radio.adapters = [HealthyGate.adapter("hci1")] },
        Case("nobody has that address", "radio bad radio.not-found") { $0.radio.name = nil },
        Case("blocked by software", "rfkill warning radio.rfkill") {
            $0.radio.adapters = [HealthyGate.adapter(soft: true)]
        },
        Case("switched off", "rfkill bad radio.switched-off") {
            $0.radio.adapters = [HealthyGate.adapter(soft: true, hard: true)]
        },
        Case("bluetoothd beside it", "bluetoothd bad radio.busy") { $0.radio.isDaemonRunning = true },
        Case("bluetoothd before the first start", "bluetoothd warning radio.busy", "service warning box.not-running") {
            ($0.radio.isDaemonRunning, $0.service) = (true, .absent)
        },
        Case("bluetoothd that may start", "bluetoothd warning box.bluetoothd") { $0.radio.mayDaemonStart = true },
        Case("no opener", "opener bad box.no-opener") { $0.radio.hasOpener = false },
        Case("a right of its own in its place") {
            $0.radio.hasOpener = false
            $0.unit = UnitFile(HealthyGate.unitFiles + ["AmbientCapabilities=CAP_NET_ADMIN"])
        },
        Case("no serial line", "radio bad radio.not-found", more: serial) {
            $0.places["/dev/ttyACM0"]?.missing = 1
            $0.unit = UnitFile(HealthyGate.unitFiles + ["DeviceAllow=char-ttyACM rw"])
        },
        Case("a serial line that the unit denies", "radio bad box.device-denied", more: serial),
        Case("a serial line of others", "radio bad box.unwritable", more: serial) {
            $0.unit = UnitFile(HealthyGate.unitFiles + ["DeviceAllow=char-ttyACM rw"])
            $0.places["/dev/ttyACM0"] = HealthyGate.device(mode: 0o660, group: 20)
        },
        Case("a controller elsewhere needs no adapter", more: "[radio]\ntransport = \"tcp\"\n") {
            $0.radio = .init()
        },
    ]

    private static let serial = "[radio]\ntransport = \"serial\"\ndevice = \"/dev/ttyACM0\"\n"

    static let lines: [Case] = [
        Case("chips that cannot be asked", "chip unknown -") { $0.chips = nil },
        Case("no libgpiod", "chip bad gpio.no-library") {
            ($0.gpioLibrary, $0.chips) = (.failure(.noLibrary("libgpiod.so.3: no such file")), ([], []))
        },
        Case("no chip", "chip bad gpio.no-chip") { $0.chips = ([], []) },
        Case("another board's chip", "chip bad gpio.no-chip") {
            $0.chips = ([GPIOChips.Chip(path: "/dev/gpiochip0", label: "pinctrl-rp1", lines: ["GPIO17"])], [])
        },
        Case("a chip that you may not open", "chip unknown -") { $0.chips = ([], [HealthyGate.node]) },
        Case("a chip that the service may not open", "chip bad gpio.not-permitted") {
            $0.places[HealthyGate.node] = HealthyGate.device(mode: 0o600)
        },
        Case("a user who is in no group", "chip bad gpio.not-permitted", "display bad box.unwritable") {
            $0.account?.groups = [HealthyGate.user]
        },
        Case("a unit that denies chips", "chip bad box.device-denied") {
            $0.unit = UnitFile(["User=gatehouse", "DevicePolicy=closed", "DeviceAllow=char-i2c rw"])
        },
        Case("no such line", "line bad gpio.no-line") {
            $0.chips = ([HealthyGate.chip(lines: ["GPIO17", "GPIO23"])], [])
        },
        Case("a line of another program", "line bad gpio.busy") {
            $0.chips = ([HealthyGate.chip(["leds-gpio", nil])], [])
        },
        Case("a line of the kernel", "line bad gpio.busy") { $0.chips = ([HealthyGate.chip([nil, ""])], []) },
        Case("lines that the service holds") { $0.chips = ([HealthyGate.chip(["gatehouse", "gatehouse"])], []) },
        Case("a kernel that keeps lines driven", "chip warning box.lines-stay-driven") { $0.keepsLinesDriven = true },
    ]

    static let shown: [Case] = [
        Case("no bus", "display bad fault.display") { $0.places["/dev/i2c-1"]?.missing = 1 },
        Case("a bus of others", "display bad box.unwritable") {
            $0.places["/dev/i2c-1"] = HealthyGate.device(mode: 0o660, group: 998)
        },
        Case("a bus that the unit denies", "display bad box.device-denied") {
            $0.unit = UnitFile(Array(HealthyGate.unitFiles.prefix(1)))
        },
        Case("a screen that the unit denies", "display bad box.device-denied", display: "kind = \"framebuffer\""),
        Case("no screen", "display bad fault.display", display: "kind = \"framebuffer\"") {
            $0.places["/dev/fb0"]?.missing = 1
        },
        Case("no display", display: "kind = \"none\""),
        Case("a picture that cannot be written", "files bad box.unwritable", display: "kind = \"file\"") {
            $0.places["/run/gatehouse"] = HealthyGate.place(isFolder: true, owner: 0, mode: 0o755)
        },
    ]

    static let clocks: [Case] = [
        Case("a date before the program", "clock bad box.date", "rtc warning box.rtc-battery") {
            $0.clock.utc = Timestamp(seconds: 0)
            $0.clock.hardware[0].seconds = 0
        },
        Case("no clock", "clock bad clock.untrusted", "rtc warning box.no-rtc") {
            ($0.clock.isSynchronised, $0.clock.hardware) = (false, [])
        },
        Case("only a saved date", "clock bad clock.untrusted", "rtc warning box.no-rtc") {
            ($0.clock.isSynchronised, $0.clock.hardware) = (false, [])
            $0.clock.saved = [SavedDate(.timesyncd, HealthyGate.now.advanced(by: .seconds(-60)))]
        },
        Case(
            "no time server where one is wanted", "clock bad clock.untrusted",
            more: "[clock]\nminimum = \"synchronised\"\n"
        ) { $0.clock.isSynchronised = false },
        Case("no clock where none is wanted", "rtc warning box.no-rtc", more: "[clock]\nminimum = \"unset\"\n") {
            ($0.clock.isSynchronised, $0.clock.hardware) = (false, [])
        },
        Case(
            "a time server that is not authenticated", "clock warning box.time-server",
            more: "[clock]\nauthenticated = true\n"
        ) { $0.clock.authenticated = [] },
        Case(
            "the same before the time server has spoken", "clock bad clock.untrusted", "clock warning box.time-server",
            more: "[clock]\nminimum = \"synchronised\"\nauthenticated = true\n"
        ) { ($0.clock.isSynchronised, $0.clock.authenticated) = (false, []) },
        Case("no battery-backed clock", "rtc warning box.no-rtc") { $0.clock.hardware = [] },
        Case("one that the kernel does not read", "rtc warning box.rtc-unused") { $0.clock.hardware[0].isUsed = false },
        Case("one that is a week behind", "rtc warning box.rtc-differs") {
            $0.clock.hardware[0].seconds = HealthyGate.now.seconds - 7 * 86_400
        },
        Case("one that is ahead", "rtc warning box.rtc-differs") {
            $0.clock.hardware[0].seconds = HealthyGate.now.seconds + 7
        },
        Case(
            "a Raspberry Pi 5 without a battery after a power cut", "clock bad clock.untrusted",
            "rtc warning box.rtc-battery"
        ) {
            ($0.clock.isSynchronised, $0.clock.hardware[0].seconds, $0.clock.hardware[0].battery) = (false, 40, nil)
            $0.clock.saved = [SavedDate(.timesyncd, HealthyGate.now.advanced(by: .seconds(-40)))]
        },
        Case("one that does not tell", "rtc warning box.rtc-silent") { $0.clock.hardware[0].seconds = nil },
        Case("one that drifts for two months") {
            $0.clock.uptime = .seconds(60 * 86_400)
            $0.clock.hardware[0].seconds = HealthyGate.now.seconds + 400
        },
        Case("one without a battery", "rtc warning box.rtc-battery") { $0.clock.hardware[0].battery = 120_000 },
        Case("one that began anew", "rtc warning box.rtc-battery") { $0.clock.hardware[0].seconds = 86_400 },
    ]

    static let rules: [Case] = [
        Case("trust data that cannot be used", "trust bad fault.trust-unusable") {
            $0.trust = .unusable("issuers.toml:1")
        },
        Case("nobody is trusted", "trust bad fault.trust-unusable") {
            $0.trust = .usable(
                version: "", issuers: 0, lack: "nobody is trusted", bundle: nil, findings: ["issuers.toml lists nobody"]
            )
        },
        Case("a spoilt bundle", "trust warning fault.trust-bundle") {
            $0.trust = .usable(version: "", issuers: 1, lack: nil, bundle: "is spoilt", findings: [])
        },
        Case("one of several issuers without a document", "trust warning box.trust") {
            $0.trust = .usable(version: "", issuers: 2, lack: nil, bundle: nil, findings: ["x has no document"])
        },
        Case("no issuer with a key", "trust bad fault.trust-unusable") {
            $0.trust = .usable(
                version: "", issuers: 1, lack: "no key of any issuer is known", bundle: nil,
                findings: ["x has no document"])
        },
        Case("a root that ends", "trust warning fault.expires-soon") {
            $0.expiries = [Expiry(.root, "x", end: HealthyGate.now.advanced(by: .seconds(13 * 86_400)))]
        },
        Case("trust that was not looked at", "trust unknown -") { $0.trust = nil },
        Case("rules that were not looked at", "policy unknown -") { $0.policy = .unseen },
        Case("no rules") { $0.policy = nil },
        Case("rules that cannot be used", "policy bad fault.policy-file") { $0.policy = .unusable("policy.toml:3") },
        Case("rules that ended", "policy bad policy.expired") {
            $0.expiries = [Expiry(.policy, "gate@1", end: HealthyGate.now)]
        },
        Case("rules that end", "policy warning fault.expires-soon") {
            $0.expiries = [Expiry(.policy, "gate@1", end: HealthyGate.now.advanced(by: .seconds(13 * 86_400)))]
        },
        Case("rules that last") {
            $0.expiries = [Expiry(.policy, "gate@1", end: HealthyGate.now.advanced(by: .seconds(15 * 86_400)))]
        },
        Case("what ends by a date that nobody trusts", "clock bad clock.untrusted", "rtc warning box.no-rtc") {
            ($0.clock.isSynchronised, $0.clock.hardware) = (false, [])
            $0.expiries = [Expiry(.bundle, "bundle 1", end: HealthyGate.now)]
        },
        Case("a bundle that ended", "trust warning fault.expired") {
            $0.expiries = [Expiry(.bundle, "bundle 1", end: HealthyGate.now)]
        },
        Case(
            "a printed code's last day", "configuration warning box.configuration",
            "sticker warning fault.expires-soon", more: sticker
        ) {
            $0.expiries = [Expiry(.sticker, "", end: HealthyGate.now.advanced(by: .seconds(86_400)))]
        },
        Case("a certificate for servers that ends", "agent warning fault.expires-soon") {
            $0.expiries = [Expiry(.serverRoot, "CN=a", end: HealthyGate.now.advanced(by: .seconds(86_400)))]
        },
        Case("an end that the service tells too", "trust warning fault.expires-soon") {
            $0.expiries = [Expiry(.bundle, "bundle 1", end: HealthyGate.now.advanced(by: .seconds(2 * 86_400)))]
            $0.service = Self.running([
                "version": "0.1.0", "silent": .array([]),
                "faults": .array([["code": "fault.expires-soon", "severity": "warning"]]),
            ])
        },
        Case("rules that fail their tests", "policy bad box.policy-tests") { $0.policy = rules(failed: ["a child"]) },
        Case("rules that come with trust data which cannot be used", "policy unknown -") { $0.policy = .unread },
        Case("rules for nobody", "policy warning box.policy-groups") { $0.policy = rules(groups: ["works"]) },
        Case(
            "a printed code that is off", "configuration warning box.configuration", "sticker warning fault.sticker",
            more: sticker
        ) {
            $0.features[.sticker] = .init(.stickerOff, "its last day is over", remedy: "print a new one")
        },
        Case("an invitation that cannot be used", "agent warning fault.agent-unconnected") {
            $0.agents = [.init(.agentUnconnected, "the invitation in a cannot be used yet", "ask for one")]
        },
    ]

    private static let sticker = "[sticker]\nkey = \"/var/lib/gatehouse/sticker.key\"\nuntil = \"2026-12-31\"\n"

    private static func rules(
        failed: [String] = [], groups: [String] = []
    ) -> MachineFacts.Policy {
        .usable(name: "gate@1", origin: "from policy.toml", tests: 2, failed: failed, unknownGroups: groups)
    }

    static let service: [Case] = [
        Case("no service", "service warning box.not-running") { $0.service = .absent },
        Case("one that may not be asked", "service unknown -") { $0.service = .silent("no permission to ask it") },
        Case("one of another version", "service warning box.restart-due") {
            $0.service = Self.running(["version": "0.0.9", "faults": .array([])])
        },
        Case("one of which a part is stuck", "service bad fault.stuck") {
            $0.service = Self.running(["version": "0.1.0", "silent": ["radio"]])
        },
        Case("faults of the service", "service bad fault.radio", "service warning fault.agent-unreachable") {
            let faults: JSON = [
                ["code": "fault.radio", "severity": "error", "meaning": "It is out.", "remedy": "Look."],
                ["code": "fault.agent-unreachable", "severity": "warning", "detail": "No answer.", "remedy": "Wait."],
            ]
            $0.service = Self.running(["version": "0.1.0", "faults": faults])
        },
        Case("an agent that is not connected", "agent warning fault.agent-unconnected", more: invitation) {
            $0.service = Self.agents(["name": "primary", "connected": false, "confirmed": 0, "waiting": 0])
        },
        Case("a copy that is not connected", "agent warning fault.agent-unconnected", more: copy) {
            $0.service = Self.agents(["name": "head-office", "connected": false, "confirmed": 0, "waiting": 0])
        },
        Case("an agent that is gone while records wait", "agent warning fault.agent-unconnected") {
            $0.service = Self.agents(["name": "primary", "connected": false, "confirmed": 7, "waiting": 3])
        },
        Case("an agent that is gone, and nothing waits for it") {
            $0.service = Self.agents(["name": "primary", "connected": false, "confirmed": 7, "waiting": 0])
        },
        Case("a gate that never had an agent, in service for long") {
            $0.service = Self.agents(["name": "primary", "connected": false, "confirmed": 0, "waiting": 4000])
        },
        Case("a gate that never had an agent, of which nobody tells") { $0.service = Self.agents() },
    ]

    private static let copy = "[[agent.copy]]\nname = \"head-office\"\ninvitations = [\"b.invitation\"]\n"

    private static func agents(_ links: JSON...) -> MachineFacts.Service {
        running(["version": "0.1.0", "faults": .array([]), "silent": .array([]), "agent": .array(links)])
    }

    private static func running(_ report: JSON) -> MachineFacts.Service { .running(StatusReport(report)) }

    /// The device tree enables the bus, but its node needs a module that nothing loads.
    @Test func aMissingBusIsMoreThanALineOfTheFirmware() throws {
        var gate = try HealthyGate(display: "kind = \"ssd1306\"")
        gate.facts.places["/dev/i2c-1"]?.missing = 1
        let remedy = gate.findings.compactMap(\.remedy).first ?? ""
        for word in ["dtparam=i2c_arm=on", "i2c-dev | sudo tee /etc/modules-load.d/i2c-dev.conf"] {
            #expect(remedy.contains(word), "\(remedy)")
        }
    }

    /// The remedies for a further gate on the machine must not name the first gate's unit.
    @Test func remediesNameTheGateThatIsMeant() throws {
        for (unit, wanted) in [
            (
                "gatehouse@out",
                [
                    "systemctl enable --now gatehouse@out.", "journalctl -u gatehouse@out -n",
                    "systemctl unmask gatehouse-radio@out.socket.",
                    "below /var/lib/gatehouse-out,", "(systemctl edit gatehouse@out)",
                    "/usr/share/gatehouse/own-radio.conf",
                ]
            ),
            (
                "gatehouse",
                [
                    "systemctl enable --now gatehouse.", "systemctl unmask gatehouse-radio.socket.",
                    "below /var/lib/gatehouse,", "(systemctl edit gatehouse)",
                ]
            ),
        ] {
            var gate = try HealthyGate(more: "[log]\npath = \"/data/log.jsonl\"\n")
            gate.facts.unitName = unit
            gate.facts.radio.hasOpener = false
            gate.facts.service = .absent
            let remedies = gate.findings.compactMap(\.remedy).joined(separator: "\n")
            for words in wanted { #expect(remedies.contains(words), "\(words) in \(remedies)") }
            #expect(gate.findings.contains { $0.detail == unit + ".service" })
        }
        // Other commands use the same text.
        let words = "start it: systemctl start gatehouse; why it ended: journalctl -u gatehouse -n 50"
        #expect(
            SetupPlaces("/etc/gatehouse/out.toml").told(words) == words.replacing("gatehouse", with: "gatehouse@out"))
        for file in [SetupPlaces.standard, "/srv/gate.toml"] { #expect(SetupPlaces(file).told(words) == words) }
    }

    @Test func aConfigurationThatCannotBeUsed() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.parse(
                Array("[kiosk]\nname = 7\n[gate]\npulse = \"9s\"\n".utf8), file: "a.toml", folder: "/")
        }
        let mistakes = try #require(error)
        let findings = Doctor.findings(mistakes)
        #expect(findings.map(\.code) == ["box.configuration", "box.configuration"])
        #expect(findings.exitCode == 2 && findings[0].detail.hasPrefix("a.toml:2: kiosk.name "), "\(findings)")

        // Checks that need no configuration run nevertheless.
        let configuration = try Configuration.placeholder(for: SetupPlaces.standard)
        var facts = try HealthyGate().facts
        let sound = Doctor(configuration, facts, insteadOf: mistakes).findings
        #expect(sound.filter { $0.state != .good } == findings, "\(sound)")
        let checks: [Finding.Check] = [
            .configuration, .unit, .user, .disk, .radio, .rfkill, .bluetoothd, .opener, .chip, .clock, .rtc,
        ]
        #expect(Set(sound.map(\.check)) == Set(checks), "\(sound)")
        let order = sound.map { Finding.Check.allCases.firstIndex(of: $0.check) ?? 0 }
        #expect(order == order.sorted())
        #expect(sound.contains(.good(.chip, "\(HealthyGate.label), \(HealthyGate.node)")))
        #expect(sound.contains(.good(.chip, "lines are driven by libgpiod 1.6.3")))
        (facts.account, facts.clock.hardware) = (nil, [])
        facts.disk?.isReadOnly = true
        facts.radio.adapters = [HealthyGate.adapter("hci1", hard: true)]
        facts.chips = ([], [HealthyGate.node])
        #expect(
            Doctor(configuration, facts, insteadOf: mistakes).findings.dropFirst(2).filter { $0.state != .good }.map {
                "\($0.check) \($0.state) \($0.code ?? "-")"
            } == [
                "user bad box.no-user", "disk bad box.read-only", "rfkill bad radio.switched-off", "chip unknown -",
                "rtc warning box.no-rtc",
            ])
        for adapters in [nil, []] as [[Adapters.Adapter]?] {
            facts.radio.adapters = adapters
            // The controller may be elsewhere.
            let radio = Doctor(configuration, facts, insteadOf: mistakes).findings.filter { $0.check == .radio }
            #expect(radio.map(\.state) == [.warning], "\(radio)")
        }
    }

    /// The service cannot write to folders of the configuration, whatever a drop-in permits elsewhere.
    @Test func writtenFilesAreNotSuggestedNextToTheConfiguration() throws {
        for (more, isSent) in [
            ("[log]\npath = \"/etc/gatehouse/gate.log\"\n", false),
            ("[policy]\nfile = \"/home/pi/policy.toml\"\n", true),
        ] {
            let found = try HealthyGate(more: more).findings.filter { $0.code == "box.outside-sandbox" }
            #expect(found.count == 1 && found[0].remedy?.contains("/etc/gatehouse") == isSent, "\(found)")
        }
    }

    @Test func aBoxThatOpensNothingSaysSo() throws {
        let opens = { (gate: HealthyGate) in !gate.findings.contains { $0.detail.contains("this box opens no gate") } }
        var gate = try HealthyGate()
        #expect(opens(gate))
        gate.configuration = try Configuration.parse(
            Array("[kiosk]\nname = \"G\"\n".utf8), file: "gate.toml", folder: "/etc/gatehouse")
        #expect(!opens(gate))
    }

    @Test func machinesReadTheSame() throws {
        var gate = try HealthyGate()
        gate.facts.chips = ([HealthyGate.chip(["leds-gpio", nil])], [])
        let lines = gate.findings.filter { $0.check == .line }.map(\.json.compactText)
        #expect(
            lines == [
                "{\"check\":\"line\",\"state\":\"good\",\"detail\":\"GPIO22 (indicator.blue) is free\"}",
                "{\"check\":\"line\",\"state\":\"bad\",\"code\":\"gpio.busy\",\"detail\":\"GPIO17 (gate.line) is in use "
                    + "by leds-gpio\",\"remedy\":\"Find the user of the lines with gpioinfo, and stop that program; "
                    + "drivers of HATs use lines too.\"}",
            ])
    }
}
