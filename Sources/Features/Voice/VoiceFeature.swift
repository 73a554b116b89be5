import Displays
import GateService
import Reasons
import Settings

/// A voice that speaks verdicts.
struct VoiceFeature: CheckedFeature {
    static let section: any ConfigurationSection.Type = VoiceSection.self
    static let check = FeatureCheck.voice

    /// The folders in which systemd looks for the programs of a service (systemd.exec(5), `$PATH`).
    private static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    let listeners: [any KioskListener]

    init(_ start: FeatureStart) throws {
        let section = start.configuration[VoiceSection.self]
        listeners = [try VoiceOutput(section, clock: start.clock, report: start.report)].compactMap(\.self)
    }

    static func summaries(_ configuration: Configuration) -> [FeatureSummary] {
        let section = configuration[VoiceSection.self]
        return section.language == nil ? [] : [FeatureSummary(section.program, needs: device)]
    }

    private static let device = FeatureDevice(
        name: "the sound card", path: "/dev/snd", unitName: "char-alsa", node: nil)

    static func problem(_ configuration: Configuration, on machine: FeatureMachine) -> FeatureProblem? {
        let section = configuration[VoiceSection.self]
        return obstacle(section, root: machine.root).map {
            FeatureProblem(.voiceFailed, "\(section.program) cannot be run: \($0)")
        }
    }

    /// Returns why the speech program cannot be run; nil if it can, or if the configuration uses no voice.
    static func obstacle(_ section: VoiceSection, root: String) -> String? {
        guard section.language != nil else { return nil }
        return SpeechProgram.obstacle(to: section.program, on: path, root: root)
    }
}
