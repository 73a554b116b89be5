package import Aries
import Credentials
package import Encoding
package import HTTPTransport
package import Kiosk
package import LinuxIO
import ServiceLifecycle
package import Store
import Synchronization

/// Keeps the connections to cloud agents and delivers the reports. Nothing at the gate waits for it.
package final class AgentService: ServiceLifecycle.Service, Sendable {
    private let configuration: Configuration
    private let store: Store
    private let log: LogSink
    private let report: HealthReporter
    private let links = Mutex<[AgentLink]>([])
    /// Whether messages get through, as the last exchange has shown; nil: nothing was exchanged yet.
    private let getsThrough = Mutex<Bool?>(nil)

    /// A service over the connections in `store` and the invitations in the configuration.
    package init(configuration: Configuration, store: Store, log: LogSink, report: @escaping HealthReporter) {
        (self.configuration, self.store, self.log, self.report) = (configuration, store, log, report)
    }

    /// How many connections there are, and whether messages get through.
    package var status: JSON {
        var status: JSONObject = ["connections": .int(links.withLock { $0.count })]
        if let isReachable = getsThrough.withLock({ $0 }) {
            _ = status.appendIfNew(.init("reachable", .bool(isReachable)))
        }
        return .object(status)
    }

    /// A report has been queued: look at once.
    package func wake() {
        for link in links.withLock({ $0 }) { Task { await link.wake() } }
    }

    package func run() async throws {
        try await HTTPExchange.withExchange(Self.settings(configuration)) { exchange in
            await cancelWhenGracefulShutdown { await self.run(exchange) }
        }
    }

    /// The HTTP settings that the configuration asks for.
    package static func settings(_ configuration: Configuration) -> HTTPExchange.Settings {
        var settings = HTTPExchange.Settings()
        settings.allowsPlainHTTP = configuration.agent.allowPlainHTTP
        settings.timeLimit = configuration.agent.timeout
        return settings
    }

    /// What a connection is to do, as the configuration asks.
    package static func connection(_ configuration: Configuration) -> AgentConnection.Configuration {
        var limits = AgentConnection.Limits()
        limits.firstRetry = configuration.agent.retryFirst
        limits.longestRetry = configuration.agent.retryLast
        return AgentConnection.Configuration(label: Text(configuration.kiosk.id), limits: limits)
    }

    private func run(_ exchange: HTTPExchange) async {
        var found = await open(exchange)
        links.withLock { $0 = found }
        await withTaskGroup(of: Void.self) { group in
            while let link = found.popLast() { group.addTask { await link.run() } }
        }
        // Without a connection there is nothing to do until the service ends.
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    }

    private func take(_ notice: AgentNotice) {
        log.log(.info, "agent", ["text": .text(notice.text)])
        guard let isReachable = notice.getsThrough else { return }
        getsThrough.withLock { $0 = isReachable }
        report(isReachable ? .over(.agentUnreachable) : .present(.agentUnreachable, detail: notice.text))
    }

    /// The stored connections, and new ones for invitations that none of them answers.
    ///
    /// The first one delivers the reports: a report goes to one agent, once.
    private func open(_ exchange: HTTPExchange) async -> [AgentLink] {
        var surroundings = AgentLink.Surroundings(
            exchange: exchange, store: store, outbox: StoredOutbox(store, utc: { SystemClock.utc() }), clock: .system(),
            observe: { [weak self] in self?.take($0) })
        let settings = Self.connection(configuration)
        var links: [AgentLink] = []
        do {
            let stored = try await AgentLinks.stored(settings, surroundings)
            for id in stored.unreadable { log.log(.error, "agent.unreadable", ["connection": .string(id)]) }
            links = stored.links
        } catch {
            log.log(.error, "agent.store", ["reason": .text("\(error)")])
        }
        for file in configuration.agent.invitations {
            if !links.isEmpty { surroundings.outbox = nil }
            do {
                let invitation = try await InvitationReader.read(file, by: exchange)
                if case .new(let link) = try AgentLinks.link(
                    for: invitation, existing: links, settings, surroundings)
                {
                    links.append(link)
                }
            } catch {
                log.log(.error, "agent.invitation", ["file": .text(file), "reason": .text("\(error)")])
            }
        }
        return links
    }
}
