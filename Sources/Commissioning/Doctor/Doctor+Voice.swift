import Displays
import Reasons
import Settings

extension Doctor {
    /// Whether verdicts can be spoken. Empty if voice is off.
    var voice: [Finding] {
        guard configuration.voice.language != nil else { return [] }
        let program = configuration.voice.program
        if let obstacle = facts.voice {
            return [Finding(.voice, .voiceFailed, "\(program) cannot be run: \(obstacle)")]
        }
        if let unit = facts.unit, !unit.permits(device: "/dev/snd", of: "char-alsa") {
            return [
                Finding(
                    .voice, .boxDeviceDenied, "the sound card (char-alsa)",
                    remedy: "Add the lines in /usr/share/doc/gatehouse/docs/access.md to a drop-in.",
                    state: .warning)
            ]
        }
        return [.good(.voice, program)]
    }
}

extension MachineProbe {
    /// The folders where systemd looks for the programs of a service (systemd.exec(5), `$PATH`).
    private static let path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    /// Returns why the program that speaks verdicts cannot be run; nil if it can, or if voice is off.
    static func voice(_ section: VoiceSection, root: String) -> String? {
        guard section.language != nil else { return nil }
        return SpeechProgram.obstacle(to: section.program, on: path, root: root)
    }
}
