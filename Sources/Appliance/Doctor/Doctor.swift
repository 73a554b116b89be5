import Credentials
import LinuxIO

/// Says what the facts of a machine mean for a gate of that configuration. A value that computes: no clock, no file, no device.
///
/// One function for each part, in files of their own; each gives one good finding, or one for everything that is wrong.
package struct Doctor: Sendable {
    let configuration: Configuration
    let facts: MachineFacts
    /// Why the gate's own configuration is not known; nil: it is.
    private let mistakes: ConfigurationError?

    /// A look at these facts. `mistakes`: why the configuration is only one that stands in for the gate's own
    /// (``Configuration/standIn(for:)``); then only what does not hang on it is told.
    package init(_ configuration: Configuration, _ facts: MachineFacts, insteadOf mistakes: ConfigurationError? = nil) {
        (self.configuration, self.facts, self.mistakes) = (configuration, facts, mistakes)
    }

    /// All that is found, part by part.
    package var findings: [Finding] {
        let parts: [[Finding]] =
            if let mistakes {
                [Self.findings(mistakes), bareMachine]
            } else {
                [notices, unit, files, disk, radio, lines, displays, voice, clock, rules, agents, service]
            }
        return parts.joined().map { $0.told(of: facts.unitName) }
    }

    /// A configuration that cannot be used.
    package static func findings(_ error: ConfigurationError) -> [Finding] {
        error.problems.map { problem in
            let key = problem.key.isEmpty ? "" : "\(problem.key) "
            let line = problem.line.map { ":\($0)" } ?? ""
            return Finding(
                .configuration, .boxConfiguration, "\(error.file)\(line): \(key)\(problem.message)",
                remedy: problem.remedy)
        }
    }

    private var notices: [Finding] {
        let said = configuration.notices.map { notice in
            Finding(
                .configuration, .boxConfiguration, "\(notice.key) \(notice.message)", remedy: notice.remedy,
                state: .warning)
        }
        return said.isEmpty ? [.good(.configuration, "\(configuration.kiosk.name), without a mistake")] : said
    }

    /// What is installed, and as whom it runs.
    var unit: [Finding] {
        let name = facts.userName
        let installed =
            facts.unit == nil
            ? Finding(.unit, .boxNotInstalled, "there is no \(facts.unitName).service")
            : swap ?? .good(.unit, facts.unitName + ".service")
        guard facts.account != nil else {
            return [installed, Finding(.user, .boxNoUser, "there is no user \(name)")]
        }
        // systemd then ends each start before the program begins (216/GROUP): no lamp and no record tells it.
        let missing = facts.missingGroups.map { group in
            Finding(
                .user, .boxNoGroup,
                "there is no group \(group), which \(facts.unitName).service or a drop-in of it names")
        }
        return [installed] + (missing.isEmpty ? [.good(.user, name)] : missing)
    }

    /// The finding that the service's memory could get to a disk; nil: it cannot.
    private var swap: Finding? {
        guard let unit = facts.unit, let device = facts.swaps.first else { return nil }
        guard unit.forbidsSwap else {
            return Finding(.unit, .boxSwap, "\(facts.unitName).service may be written to \(device)")
        }
        guard !facts.countsMemory else { return nil }
        return Finding(
            .unit, .boxSwap,
            "the kernel counts no unit's memory, so \(facts.unitName).service may be written to \(device)",
            remedy:
                "Add cgroup_enable=memory to the kernel's command line and start anew, or turn swap off: swapoff -a.")
    }
}
