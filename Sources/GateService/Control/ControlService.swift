package import Administration
package import Clocks
import Encoding
package import Kiosk
package import LinuxIO
import Reasons
import ServiceLifecycle
package import Settings

/// Keeps the control socket open while the service runs. If the socket cannot be created, the service reports a fault
/// and retries at intervals. If the socket file has been removed or replaced, the service creates it again.
package struct ControlService: ServiceLifecycle.Service {
    private let section: ControlSection
    private let router: ControlRouter
    private let log: LogSink
    private let report: HealthReporter
    private let times: Periodic

    /// Creates a service for the socket that the configuration names. `report` receives the fault that the socket
    /// cannot be created, and its end. `pause` is the time by `clock` between two attempts, and between two checks
    /// that the socket's path still leads to this socket.
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
                // If the configuration names no socket, only wait for the shutdown.
                guard let path = section.path else { return }
                do throws(SystemError) {
                    if server == nil { server = try make(access) }
                    // Clients cannot reach the socket if its path no longer exists or now leads to another socket.
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
        // Members of the group may send queries to the service, but no requests that change something.
        let owner = ControlAccess(user: Accounts.user, group: nil)
        return try ControlServer(permits: access.permits, isOwner: owner.permits) { [router] peer, line in
            await router.answer(line, mayChange: owner.permits(peer))
        }
    }
}

extension ControlSection {
    /// The users that may send requests to the service: this program's user and the members of the configured group,
    /// if that group exists now.
    package var access: ControlAccess { ControlAccess(user: Accounts.user, group: group.flatMap(Accounts.group)) }
}
