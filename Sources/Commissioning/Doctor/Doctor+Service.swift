import Encoding
import Ledger
import Observation
import Reasons
import Settings

extension Doctor {
    /// The findings about agents: whether their files are usable, as far as that can be checked without a network, and
    /// the state of the service's connections.
    var agents: [Finding] {
        let agent = configuration.agent
        let known = agent.invitations.count + agent.copies.flatMap(\.invitations).count
        let wrong =
            facts.agents.map { Finding(.agent, $0.code, $0.detail, remedy: $0.remedy) }
            + endings.filter { $0.check == .agent }
        guard wrong.isEmpty else { return wrong }
        var found: [Finding] = []
        // The service reports a connection with a fault itself; ``service`` contains its faults.
        if case .running(let status) = facts.service { found = (status.agents ?? []).compactMap(link) }
        guard found.isEmpty else { return found }
        return [.good(.agent, known == 0 ? "no invitation is configured" : Self.count(known, "invitation"))]
    }

    /// Returns the finding about a destination. Returns nil for an unconnected destination that is not configured and
    /// for which no records wait, or that has never confirmed an entry. Also returns nil while the connections are not
    /// loaded: a new invitation would not help.
    private func link(_ link: StatusReport.Destination) -> Finding? {
        let name = link.name?.string ?? "?"
        let waiting = link.waiting ?? 0
        let records = Self.count(waiting, "record")
        guard let isConnected = link.isConnected else { return nil }
        if isConnected { return .good(.agent, "\(name) is connected, \(records) in transit") }
        let hadAgent = (link.confirmed ?? 0) > 0
        guard isConfigured(name) || hadAgent && waiting > 0 else { return nil }
        return Finding(
            .agent, .agentUnconnected,
            "\(name) is not connected, and \(waiting == 1 ? "a record waits" : "\(records) wait")",
            remedy: "See gatehouse agent list; with a new invitation: gatehouse agent connect.")
    }

    /// Returns whether the configuration has an invitation for the destination `name`, or a copy agent of this name.
    private func isConfigured(_ name: String) -> Bool {
        let agent = configuration.agent
        if Text(name) == DeliveryCursor.primary { return !agent.invitations.isEmpty }
        return agent.copies.contains { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// The findings about the running service: whether it answers, and the faults that it reports.
    var service: [Finding] {
        switch facts.service {
        case nil: return []
        case .absent: return [Finding(.service, .boxNotRunning, "no process listens at its control socket")]
        case .silent(let why): return [.unknown(.service, why, "Run it with sudo; or see: journalctl -u gatehouse")]
        case .running(let status): return running(status)
        }
    }

    private func running(_ status: StatusReport) -> [Finding] {
        var wrong: [Finding] = []
        let version = status.version?.string ?? "?"
        if !version.utf8.elementsEqual(facts.version.utf8) {
            wrong.append(
                Finding(
                    .service, .boxRestartDue,
                    "its version is \(version), this program's is "
                        + "\(facts.version)"))
        }
        for part in status.silent ?? [] { wrong.append(Finding(.service, .stuck, "\(part) does not respond")) }
        for fault in status.faults ?? [] {
            // Skip a fault that ``endings`` has reported already.
            guard let code = fault.code?.string, !endings.contains(where: { $0.code == code }) else { continue }
            wrong.append(
                Finding(
                    .service, code: code, isError: fault.severity == .error,
                    fault.detail ?? fault.meaning ?? code, remedy: fault.remedy ?? "gatehouse status"))
        }
        return wrong.isEmpty ? [.good(.service, "running, version \(version), in order")] : wrong
    }
}
