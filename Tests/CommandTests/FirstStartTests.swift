import Encoding
import Foundation
import TestKit
import Testing

/// Things that may be missing when a gate starts for the first time, each one separately. `doctor` finds the
/// lack before the first start. The program runs, reports the lack and its remedy in its log, to `doctor` and
/// to `status`, and uses the missing thing once it exists. (The radio is covered in the suites with a radio,
/// the chip in the tests of the panel; `doctor` looks at chips on a real machine only.)
@Suite(.tags(.realTime)) struct FirstStartTests {
    /// A missing thing.
    struct Lack: Sendable {
        let what: String
        /// The parts of the configuration that refer to it, by section.
        var sections: [String: String] = [:]
        /// The reported faults, in addition to the fault of the radio, which is missing in all of these tests
        /// and determines the light.
        let codes: Set<Text>
        /// The findings of `doctor` before the first start; nil: the same codes.
        var beforehand: Set<Text>?
        /// A part of the first fault's detail.
        let detail: String
        /// Removes the thing, in the folder of the configuration.
        var lose: @Sendable (Scratch) throws -> Void = { _ in }
        /// Adds the thing; nil where that requires a real machine.
        var mend: (@Sendable (Scratch) throws -> Void)?
    }

    private static let trust: [Lack] = [
        Lack(
            what: "no trust directory", codes: ["fault.trust-unusable"],
            detail: "trust/issuers.toml: does not exist. Create it", lose: { try $0.remove("trust") },
            mend: { try $0.write("trust/issuers.toml", issuer) }),
        Lack(
            what: "an empty trust directory", codes: ["fault.trust-unusable"],
            detail: "trust/issuers.toml: does not exist. Create it", lose: { try $0.remove("trust/issuers.toml") }),
        Lack(
            what: "trust data that name nobody", codes: ["fault.trust-unusable"],
            detail: "no issuer is trusted", lose: { try $0.write("trust/issuers.toml", "profile = \"strict\"\n") }),
        Lack(
            what: "issuers without a key", codes: ["fault.trust-unusable"],
            detail: "no key of any issuer is known",
            lose: { try $0.write("trust/issuers.toml", "[[issuer]]\nid = \"did:web:a.example\"\n") },
            mend: {
                try $0.write("trust/did/a.json", "{\"id\": \"did:web:a.example\", \"verificationMethod\": []}")
            }),
        Lack(
            what: "trust data that the service may not read", codes: ["fault.trust-unusable"],
            detail: "may not be read by the user ", lose: { try $0.setMode("trust/issuers.toml", 0) },
            mend: { try $0.setMode("trust/issuers.toml", 0o600) }),
        Lack(
            what: "documents that the service may not list", codes: ["fault.trust-unusable"],
            detail: "trust/did: may not be read by the user ",
            lose: {
                try $0.write("trust/did/a.json", "{}")
                try $0.setMode("trust/did", 0)
            },
            mend: {
                try $0.setMode("trust/did", 0o700)
                try $0.remove("trust/did")
            }),
        Lack(
            what: "no bundle yet",
            sections: ["trust": "bundleKeys = [\"z6MkehRgf7yJbgaGfYsdoAsKdBPE3dj2CYhowQdcjqSJgvVd\"]"],
            codes: ["fault.trust-bundle"], detail: "was never imported"),
        Lack(
            what: "no policy", sections: ["policy": "file = \"policy.toml\""], codes: ["fault.policy-file"],
            detail: "policy.toml: does not exist",
            mend: { try $0.write("policy.toml", "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\n") }),
    ]

    private static let box: [Lack] = [
        Lack(what: "no radio that answers", codes: [], beforehand: [], detail: ""),
        Lack(
            what: "no adapter", sections: ["radio": "transport = \"user-channel\"\ndevice = \"hci77\""],
            codes: [], beforehand: ["radio.no-bluetooth"], detail: ""),
        Lack(
            what: "no serial line",
            sections: ["radio": "transport = \"serial\"\ndevice = \"/dev/none\""], codes: [],
            beforehand: ["radio.not-found"], detail: ""),
        Lack(
            what: "no chip",
            sections: [
                "gpio": "chip = \"no-such-chip\"", "gate": "line = \"GPIO17\"", "indicator": "amber = \"GPIO22\"",
            ],
            codes: ["fault.gpio", "gate.unavailable"], beforehand: [], detail: "no-such-chip"),
        Lack(
            what: "no place for the control socket",
            sections: [
                "control": "path = \"run/gate/control.sock\"",
                "observe": "status = \"status.json\"\nlisten = \"none\"",
            ],
            codes: ["fault.control"], beforehand: ["box.missing"], detail: "run/gate/control.sock",
            mend: { try $0.makeFolder("run") }),
        Lack(
            what: "no place for the status file", sections: ["observe": "status = \"shown/status.json\""],
            codes: ["fault.observe"], beforehand: ["box.missing"], detail: "shown/status.json",
            mend: { try $0.makeFolder("shown") }),
        Lack(
            what: "no folder for the display's picture",
            sections: ["display": "kind = \"file\"\nfile = \"pictures/invitation.png\""], codes: ["fault.display"],
            beforehand: ["box.missing"],
            detail: "pictures/invitation.png", mend: { try $0.makeFolder("pictures") }),
        Lack(
            what: "no framebuffer",
            sections: ["display": "kind = \"framebuffer\"\ndevice = \"/dev/none\""], codes: ["fault.display"],
            detail: "/dev/none"),
        Lack(
            what: "no program that says verdicts",
            sections: ["voice": "language = \"en\"\nprogram = \"programs/speak\""], codes: ["fault.voice"],
            detail: "programs/speak cannot be run",
            mend: {
                try $0.write("programs/speak", "#!/bin/sh\n")
                try $0.setMode("programs/speak", 0o755)
            }),
        Lack(
            what: "no place for the reserve", sections: ["ledger": "reserve = \"away/far/none\""],
            codes: ["fault.ledger-reserve"], beforehand: ["box.missing"], detail: "away/far/none"),
        Lack(
            what: "no place for the witness", sections: ["ledger": "witness = \"away/far/none\""],
            codes: ["fault.ledger-witness"], beforehand: ["box.missing"], detail: "away/far/none"),
        Lack(
            what: "no key for the connections", sections: ["agent": "keyFile = \"away/far/none\""],
            codes: ["fault.agent-unreadable"], beforehand: ["box.missing"], detail: "away/far/none"),
        Lack(
            what: "no printed code", sections: ["sticker": "key = \"none\"\nuntil = \"2099-01-01\""],
            codes: ["fault.sticker"], detail: "none is not there"),
        Lack(
            what: "no invitation", sections: ["agent": "invitations = [\"agent.json\"]"],
            codes: ["fault.agent-unconnected"], detail: "agent.json does not exist"),
        Lack(
            what: "an invitation that is none", sections: ["agent": "invitations = [\"agent.json\"]"],
            codes: ["fault.agent-unconnected"], detail: "agent.json", lose: { try $0.write("agent.json", "{}") }),
        Lack(
            what: "an invitation that the service may not read",
            sections: ["agent": "invitations = [\"agent.json\"]"], codes: ["fault.agent-unconnected"],
            detail: "agent.json may not be read by the user ",
            lose: {
                try $0.write("agent.json", "{}")
                try $0.setMode("agent.json", 0)
            }),
    ]

    /// The number of gates that start at the same time. They are idle most of the time, because the service looks
    /// for missing files only every few seconds.
    private static let width = 8

    /// An issuer whose key is known without a document.
    private static let issuer = """
        [[issuer]]
        id = "did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp"
        types = ["https://a.example/Pass"]

        """

    /// One first start, and its description.
    private struct Start {
        let what: String
        let body: @Sendable () async throws -> Void
    }

    @Test(.timeLimit(.minutes(5))) func aMissingPartIsReportedAndUsedWhenItAppears() async {
        let all = Self.trust + Self.box
        // The cases in which the missing thing is added take longest.
        let lacks = all.filter { $0.mend != nil } + all.filter { $0.mend == nil }
        let starts =
            [
                Start(what: "a clock that is not trusted", body: aClockThatIsNotTrusted),
                Start(what: "an invitation that comes", body: anInvitationThatComes),
            ] + lacks.map { lack in Start(what: lack.what) { try await start(without: lack) } }
        await withTaskGroup(of: Void.self) { group in
            for (number, next) in starts.enumerated() {
                if number >= Self.width { await group.next() }
                group.addTask {
                    do { try await next.body() } catch { Issue.record("\(next.what): \(error)") }
                }
            }
        }
    }

    private func start(without lack: Lack) async throws {
        let (folder, what) = (try Scratch(), lack.what)
        try configure(folder, lack.sections)
        try lack.lose(folder)
        let before = try await doctor(folder)
        #expect(before.isSuperset(of: lack.beforehand ?? lack.codes), "\(what): \(before)")
        try await run(folder) { log in
            try await eventually("the faults", telling: { "\(log.faults)" }) {
                log.inForce.isSuperset(of: lack.codes.union(["fault.radio"]))
            }
            // Further faults that result from the lack have been reported by then.
            try await Task.sleep(for: .milliseconds(500))
            #expect(log.inForce == lack.codes.union(["fault.radio"]), "\(what)")
            for fault in log.faults {
                let isWhole = fault["remedy"]?.string?.string.isEmpty == false && fault["detail"]?.string != nil
                #expect(isWhole, "\(what): \(fault)")
            }
            if let code = lack.codes.min(by: { $0.string < $1.string }) {
                let told = log.faults.first { $0["code"]?.string == code }?["detail"]?.string?.string ?? ""
                #expect(told.contains(lack.detail), "\(what): \(told)")
            }
            // Without the control socket, the service cannot be asked.
            if lack.codes != ["fault.control"] {
                let seen = try await doctor(folder)
                #expect(seen.isSuperset(of: log.inForce), "\(what): \(seen)")
                let status = try await folder.gatehouse("status", "--json", "--config", "gate.toml")
                #expect(status.code == 1 && status.json.first?["light"] == "fault", "\(what): \(status)")
            }
            guard let mend = lack.mend else { return }
            try mend(folder)
            try await eventually("its end", telling: { "\(log.faults)" }) { log.inForce == ["fault.radio"] }
        }
    }

    /// A date with which no visitor can be admitted is reported before a visitor arrives. Only where no time
    /// server keeps this machine's clock.
    private func aClockThatIsNotTrusted() async throws {
        let folder = try Scratch()
        try configure(folder, ["policy": "file = \"policy.toml\""])
        func policy(_ minimum: String) throws {
            try folder.write(
                "policy.toml",
                "id = \"p\"\nversion = \"1\"\n[clock]\nminimum = \"\(minimum)\"\n[[accept]]\nid = \"all\"\n")
        }
        try policy("synchronised")
        let clock = try await folder.gatehouse("clock", "show", "--json", "--config", "gate.toml")
        if clock.json.first?["synchronised"]?.bool == true {
            return print("skipped: a time server keeps the clock of this machine")
        }
        try await run(folder) { log in
            try await eventually("the fault", telling: { "\(log.faults)" }) {
                log.inForce.contains("fault.clock-untrusted")
            }
            let told = log.faults.first { $0["code"] == "fault.clock-untrusted" }?["detail"]?.string?.string ?? ""
            #expect(told.contains("the gate's rules require at least synchronised"), "\(told)")
            try policy("unset")
            try await eventually("its end", telling: { "\(log.faults)" }) { log.inForce == ["fault.radio"] }
        }
    }

    /// An invitation that arrives at a running service is used.
    private func anInvitationThatComes() async throws {
        let (folder, agent) = (try Scratch(), try AgentOnLoopback())
        try configure(folder, ["agent": "invitations = [\"agent.json\"]\nallowPlainHTTP = true"])
        try await run(folder) { log in
            try await eventually("the fault", telling: { "\(log.faults)" }) {
                log.inForce.contains("fault.agent-unconnected")
            }
            try folder.write("agent.json", agent.invitation.compactText)
            try await eventually("its end", telling: { "\(log.faults)" }) {
                !log.inForce.contains("fault.agent-unconnected")
            }
        }
    }

    // MARK: - The program

    /// Returns the codes of `doctor`'s findings.
    private func doctor(_ folder: Scratch) async throws -> Set<Text> {
        try folder.write("root/sys/class/rtc/rtc0/since_epoch", "\(Int(Date().timeIntervalSince1970))\n")
        let ending = try await Program.run(
            "timeout",
            ["60"] + Program.confined + [
                Program.gatehouse, "doctor", "--json", "--root", "root", "--config", "gate.toml",
            ], in: folder)
        #expect(ending.code == 1 || ending.code == 2, "\(ending)")
        return Set((ending.json.first?["findings"]?.array ?? []).compactMap { $0["code"]?.string })
    }

    /// Writes a configuration that lacks nothing but a radio; these sections are added to it or replace its
    /// own.
    private func configure(_ folder: Scratch, _ sections: [String: String]) throws {
        try folder.write("trust/issuers.toml", Self.issuer)
        let additions: Set = ["trust", "ledger"]
        let usual = [
            "kiosk": "name = \"First-Gate\"",
            "radio": "transport = \"tcp\"\nport = \(try closedPort())",
            "trust": "directory = \"trust\"\nstate = \"state/trust\"",
            "clock": "minimum = \"unset\"",
            "ledger": "path = \"state/gatehouse.db\"",
            "display": "kind = \"none\"",
            "log": "path = \"log.jsonl\"",
            "control": "path = \"control.sock\"",
        ]
        var all = usual
        for (name, text) in sections {
            all[name] = additions.contains(name) ? "\(usual[name] ?? "")\n\(text)" : text
        }
        try folder.makeFolder("state")
        // A machine on which the service is installed for the user who runs the test.
        for (path, text) in [
            ("passwd", "keeper:x:\(getuid()):\(getgid())::/:/bin/sh\n"), ("group", "gpio:x:997:\n"),
        ] { try folder.write("root/etc/\(path)", text) }
        try folder.write("root/sys/class/rtc/rtc0/hctosys", "1\n")
        try folder.write("root/usr/lib/systemd/system/gatehouse.service", "[Service]\nUser=keeper\n")
        try folder.write("gate.toml", all.map { "[\($0.key)]\n\($0.value)\n" }.sorted().joined(separator: "\n"))
    }

    /// Runs the service while `body` runs, as a user to whom file permissions apply, and expects an orderly
    /// end.
    private func run(_ folder: Scratch, _ body: @escaping (ServiceLog) async throws -> Void) async throws {
        let ending = try await Program.run(
            "timeout", ["150"] + Program.confined + [Program.gatehouse, "run", "--config", "gate.toml"], in: folder
        ) { id in
            try await body(ServiceLog(folder: folder))
            kill(id, SIGTERM)
        }
        #expect(ending.code == 0, "\(ending)")
    }
}

/// The faults in the log `log.jsonl` of a service.
private struct ServiceLog {
    let folder: Scratch

    /// Every line that reports a change of health.
    var faults: [JSON] {
        let text = (try? folder.read("log.jsonl")) ?? ""
        // Only these lines are parsed, because the log is read again and again.
        return text.utf8.split(separator: UInt8(ascii: "\n")).filter { $0.contains("\"event\":\"fault\"".utf8) }
            .compactMap { try? JSON.parse(Array($0)) }
    }

    /// The active faults by the latest lines.
    var inForce: Set<Text> {
        var codes: Set<Text> = []
        for fault in faults {
            guard let code = fault["code"]?.string else { continue }
            if fault["present"]?.bool == true { codes.insert(code) } else { codes.remove(code) }
        }
        return codes
    }
}

extension Scratch {
    fileprivate func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    fileprivate func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(
            atPath: path(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}
