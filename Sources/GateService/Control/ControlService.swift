package import Administration
package import Clocks
import Encoding
package import Kiosk
package import LinuxIO
import Reasons
import ServiceLifecycle
package import Settings

/// Keeps the control socket open while the service runs. If the socket cannot be made, the service reports
/// that, goes on, and tries again. It makes a removed socket again.
package struct ControlService: ServiceLifecycle.Service {
    private let section: ControlSection
    private let router: ControlRouter
    private let log: LogSink
    private let report: HealthReporter
    private let times: Periodic

    /// Creates a service for the socket that the configuration names. `report` receives the reports that the
    /// socket is missing, and that it exists again. `pause`: the time by `clock` from one attempt to the
    /// next, and from one check of the socket's name to the next.
    package init(
        _ section: ControlSection, router: ControlRouter, log: LogSink, report: @escaping HealthReporter, clock: Clock,
        pause: Duration = .seconds(5)
    ) {
        (self.section, self.router, self.log, self.report) = (section, router, log, report)
        times = Periodic(every: pause, by: clock)
    }

    package func run() async {
        let access = section.access
        if let group = section.group, access.group == nil {
            log.log(
                .warning, "control.group-unknown",
                ["group": .text(group), "remedy": .text("create the group, or change control.group")])
        }
        let server = await cancelWhenGracefulShutdown {
            var (server, told) = (ControlServer?.none, SystemError?.none)
            await times.run { _ in
                // Without a socket, only wait for the end.
                guard let path = section.path else { return }
                do throws(SystemError) {
                    if server == nil { server = try make(access) }
                    // Clients cannot reach a socket whose name is gone or belongs to another socket.
                    if let server, await !server.isInPlace {
                        try await server.open(path, isShared: access.group != nil)
                    }
                    if told != nil { report(.over(.controlFailed)) }
                    told = nil
                } catch {
                    if error != told { report(.present(.controlFailed, detail: "\(error)")) }
                    told = error
                }
            }
            return server
        }
        await server?.close()
    }

    private func make(_ access: ControlAccess) throws(SystemError) -> ControlServer {
        // The group's members may query the service, but not change anything.
        let owner = ControlAccess(user: Accounts.user, group: nil)
        return try ControlServer(permits: access.permits, isOwner: owner.permits) { [router] peer, line in
            await router.answer(line, mayChange: owner.permits(peer))
        }
    }
}

extension ControlSection {
    /// The users that may query the service, by the groups that exist now.
    package var access: ControlAccess { ControlAccess(user: Accounts.user, group: group.flatMap(Accounts.group)) }
}
