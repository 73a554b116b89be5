import Credentials
import Encoding
package import Kiosk
package import LinuxIO
import ServiceLifecycle

/// The control socket, as long as the service runs. If it cannot be made, that is reported and tried again, and the
/// service goes on. A socket that was removed is made anew.
package struct ControlService: ServiceLifecycle.Service {
    private let section: ControlSection
    private let desk: ControlDesk
    private let log: LogSink
    private let report: HealthReporter
    private let pause: Duration

    /// A service at the place that the configuration names. `report` is told that there is no socket, and that there is one again;
    /// `pause`: from one attempt to the next, and from one look at the socket's name to the next.
    package init(
        _ section: ControlSection, desk: ControlDesk, log: LogSink, report: @escaping HealthReporter,
        pause: Duration = .seconds(5)
    ) {
        (self.section, self.desk, self.log, self.report, self.pause) = (section, desk, log, report, pause)
    }

    package func run() async {
        let access = section.access
        if let group = section.group, access.group == nil {
            log.log(
                .warning, "control.group-unknown",
                ["group": .text(group), "remedy": .text("make the group, or change control.group")])
        }
        let server = await cancelWhenGracefulShutdown {
            var (server, told) = (ControlServer?.none, String?.none)
            while !Task.isCancelled, let path = section.path {
                do throws(SystemError) {
                    if server == nil { server = try make(access) }
                    // No client reaches a socket whose name is gone or is another's by now.
                    if let server, await !server.isInPlace {
                        try await server.open(path, isShared: access.group != nil)
                    }
                    if told != nil { report(.over(.controlFailed)) }
                    told = nil
                } catch {
                    let detail = "\(error)"
                    if detail != told { report(.present(.controlFailed, detail: detail)) }
                    told = detail
                }
                try? await Task.sleep(for: pause)
            }
            // Nobody is to be asked.
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            return server
        }
        await server?.close()
    }

    private func make(_ access: ControlAccess) throws(SystemError) -> ControlServer {
        // Who may look may not change: what a group is for is to see.
        let owner = ControlAccess(user: Accounts.user, group: nil)
        return try ControlServer(permits: access.permits, isOwner: owner.permits) { [desk] peer, line in
            await desk.answer(line, mayChange: owner.permits(peer))
        }
    }
}

extension ControlSection {
    /// Who may look, by the groups that there are now.
    var access: ControlAccess { ControlAccess(user: Accounts.user, group: group.flatMap(Accounts.group)) }
}
