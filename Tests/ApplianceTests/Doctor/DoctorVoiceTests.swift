import Foundation
import LinuxIO
import Reasons
import Settings
import TestKit
import Testing

@testable import Commissioning
@testable import Features

/// The doctor finds a gate that should speak its verdicts and cannot, before a visitor needs the voice.
@Suite struct DoctorVoiceTests {
    private let voice = "[voice]\nlanguage = \"en\"\n"

    /// Returns the findings about the voice, as `state code`.
    private func found(_ spoil: (inout MachineFacts) -> Void = { _ in }) throws -> [String] {
        var gate = try HealthyGate(more: voice)
        gate.facts.unit = UnitFile(HealthyGate.unitFiles + ["DeviceAllow=char-alsa rw"])
        spoil(&gate.facts)
        #expect(gate.findings.filter { $0.check != .voice }.state == .good)
        let findings = gate.findings.filter { $0.check == .voice }
        for finding in findings where finding.state != .good {
            #expect(finding.remedy?.contains("docs/access.md") == true)
        }
        return findings.map { "\($0.state) \($0.code ?? "-")" }
    }

    @Test func everyCase() throws {
        #expect(try found() == ["good -"])
        let absent = FeatureProblem(.voiceFailed, "No such file or directory")
        #expect(try found { $0.features[.voice] = absent } == ["warning fault.voice"])
        #expect(try found { $0.unit = UnitFile(HealthyGate.unitFiles) } == ["warning box.device-denied"])
        // Without a configured voice there is no finding about it.
        #expect(try !HealthyGate().findings.contains { $0.check == .voice })
    }

    @Test func theProgramIsLookedForWhereTheServiceFindsIt() throws {
        let folder = try TestFolder()
        let root = folder.url.path
        func look(_ program: String, language: String = "en") throws -> String? {
            let text = "[kiosk]\nname = \"A\"\n[voice]\nlanguage = \"\(language)\"\nprogram = \"\(program)\"\n"
            let configuration = try Configuration.parse(Array(text.utf8), file: "a.toml", folder: root)
            return VoiceFeature.obstacle(configuration[VoiceSection.self], root: root)
        }
        let missing = "No such file or directory"
        #expect(
            try look("speak") == missing && look("\(root)/speak") == missing && look("speak", language: "none") == nil)
        try folder.program("speak", "exit 0")
        #expect(try look("\(root)/speak") == nil && look("speak") == missing, "not on the service's path")
        let inside = folder.url.appendingPathComponent("usr/bin")
        try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
        try FileManager.default.moveItem(
            at: folder.url.appendingPathComponent("speak"), to: inside.appendingPathComponent("speak"))
        #expect(try look("speak") == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: inside.path + "/speak")
        #expect(try look("speak") == "Permission denied" && look(inside.path) == "Permission denied")
    }
}
