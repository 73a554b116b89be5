import Encoding
package import LinuxIO
import ServiceLifecycle

/// The control socket, as long as the service runs. That it cannot be made stops nothing.
package struct ControlService: ServiceLifecycle.Service {
    private let section: ControlSection
    private let desk: ControlDesk
    private let log: LogSink

    /// A service at the place that the configuration names.
    package init(_ section: ControlSection, desk: ControlDesk, log: LogSink) {
        (self.section, self.desk, self.log) = (section, desk, log)
    }

    package func run() async {
        let server = await open()
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        }
        await server?.close()
    }

    private func open() async -> ControlServer? {
        guard let path = section.path else { return nil }
        let group = section.group.map { (name: $0, number: Accounts.group($0)) }
        if let group, group.number == nil {
            log.log(
                .warning, "control.group-unknown",
                ["group": .text(group.name), "remedy": .text("make the group, or change control.group")])
        }
        let access = ControlAccess(user: Accounts.user, group: group?.number)
        do throws(SystemError) {
            // Who may look may not change: what a group is for is to see.
            let owner = ControlAccess(user: Accounts.user, group: nil)
            let server = try ControlServer(permits: access.permits) { [desk] peer, line in
                await desk.answer(line, mayChange: owner.permits(peer))
            }
            try await server.open(path, isShared: access.group != nil)
            return server
        } catch {
            log.log(.warning, "control.failed", ["reason": .text("\(error)")])
            return nil
        }
    }
}
