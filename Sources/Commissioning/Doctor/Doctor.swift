import Features
import LinuxIO
import Reasons
package import Settings

/// Evaluates the facts about a machine for a gate with one configuration. The doctor is a pure value: it reads no
/// clock, no file and no device.
///
/// Each part of the gate has a property in a separate file. It contains one good finding, or one finding for each
/// fault.
package struct Doctor: Sendable {
    let configuration: Configuration
    let facts: MachineFacts
    /// The problems that make the gate's own configuration unusable; nil if the configuration is usable.
    private let mistakes: ConfigurationError?

    /// Creates a doctor for the facts about a machine. If the gate's own configuration cannot be used, `mistakes`
    /// contains its problems, and `configuration` is only a placeholder (``Configuration/placeholder(for:)``). The
    /// doctor then makes only findings that do not depend on the configuration.
    package init(_ configuration: Configuration, _ facts: MachineFacts, insteadOf mistakes: ConfigurationError? = nil) {
        (self.configuration, self.facts, self.mistakes) = (configuration, facts, mistakes)
    }

    /// All findings, in the order of ``Finding/Check``.
    package var findings: [Finding] {
        let parts: [[Finding]] =
            if let mistakes {
                [Self.findings(mistakes), bareMachine]
            } else {
                ([notices, unit, files, disk, radio, lines, clock, rules, agents, service]
                    + FeatureList.checked.map(findings(of:))).sorted { $0.place < $1.place }
            }
        return parts.joined().map { $0.told(of: facts.unitName) }
    }

    /// Returns the findings about a configuration that cannot be used, one for each problem.
    package static func findings(_ error: ConfigurationError) -> [Finding] {
        error.problems.map { problem in
            let key = problem.key.isEmpty ? "" : "\(problem.key) "
            let line = problem.line.map { ":\($0)" } ?? ""
            return Finding(
                .configuration, .boxConfiguration, "\(error.file)\(line): \(key)\(problem.message)",
                remedy: problem.remedy)
        }
    }

    /// Returns the findings about a feature; empty if the configuration does not use the feature.
    private func findings(of feature: any CheckedFeature.Type) -> [Finding] {
        let (check, summaries) = (Finding.Check(feature.check), feature.summaries(configuration))
        guard !summaries.isEmpty else { return [] }
        if let problem = facts.features[feature.check] {
            return [Finding(check, problem.code, problem.detail, remedy: problem.remedy, state: .warning)]
        }
        let ends = endings.filter { $0.check == check }
        guard ends.isEmpty else { return ends }
        return summaries.map { summary in
            summary.device.flatMap { finding($0, check) } ?? .good(check, summary.text)
        }
    }

    /// Returns the finding about the device of a feature; nil if the service can use it.
    private func finding(_ device: FeatureDevice, _ check: Finding.Check) -> Finding? {
        if let missing = device.node?.missing {
            return self.device(
                device.path, device.unitName,
                missing: Finding(check, missing.code, missing.detail, remedy: missing.remedy, state: .bad))
        }
        guard let unit = facts.unit, !unit.permits(device: device.path, of: device.unitName) else { return nil }
        return Finding(
            check, .boxDeviceDenied, "\(device.name) (\(device.unitName))",
            remedy: "Add the lines in /usr/share/doc/gatehouse/docs/access.md to a drop-in.", state: .warning)
    }

    private var notices: [Finding] {
        let said = configuration.notices.map { notice in
            Finding(
                .configuration, .boxConfiguration, "\(notice.key) \(notice.message)", remedy: notice.remedy,
                state: .warning)
        }
        return said.isEmpty ? [.good(.configuration, "\(configuration.kiosk.name), without errors")] : said
    }

    /// The findings about the installed unit, and about the user under whom the unit runs the service.
    var unit: [Finding] {
        let name = facts.userName
        let installed =
            facts.unit == nil
            ? Finding(.unit, .boxNotInstalled, "there is no \(facts.unitName).service")
            : swap ?? .good(.unit, facts.unitName + ".service")
        guard facts.account != nil else {
            return [installed, Finding(.user, .boxNoUser, "there is no user \(name)")]
        }
        // If a group is missing, systemd ends each start before the program begins (216/GROUP). Then no lamp and no
        // record shows the fault.
        let missing = facts.missingGroups.map { group in
            Finding(
                .user, .boxNoGroup,
                "there is no group \(group), which \(facts.unitName).service or a drop-in of it names")
        }
        return [installed] + (missing.isEmpty ? [.good(.user, name)] : missing)
    }

    /// The finding that the kernel could write the service's memory to a swap device; nil if it could not.
    private var swap: Finding? {
        guard let unit = facts.unit, let device = facts.swaps.first else { return nil }
        guard unit.forbidsSwap else {
            return Finding(.unit, .boxSwap, "\(facts.unitName).service may be written to \(device)")
        }
        guard !facts.countsMemory else { return nil }
        return Finding(
            .unit, .boxSwap,
            "the kernel does not account memory for units, so \(facts.unitName).service may be written to \(device)",
            remedy:
                "Add cgroup_enable=memory to the kernel's command line and reboot, or disable swap: swapoff -a.")
    }
}

extension [Finding] {
    /// The rank of these findings in the report: the rank of the first finding's check.
    fileprivate var place: Int { first.flatMap { Finding.Check.allCases.firstIndex(of: $0.check) } ?? 0 }
}
