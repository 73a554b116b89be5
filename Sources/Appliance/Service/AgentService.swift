package import Aries
import Credentials
package import Encoding
package import HTTPTransport
package import Kiosk
import Ledger
package import LinuxIO
import ServiceLifecycle
package import Store
import Synchronization

/// Keeps the connections to the cloud agents, one after the other for each destination, and delivers the ledger. Nothing at the
/// gate waits for it.
package final class AgentService: ServiceLifecycle.Service, Sendable {
    private let configuration: Configuration
    private let store: Store
    private let log: LogSink
    private let health: AgentHealth
    private let destinations = Mutex<[Text: Destination]>([:])
    /// When a code was told to other destinations.
    private let told = Mutex<[ReasonCode: ContinuousClock.Instant]>([:])
    /// Between two problem reports of one code.
    private static let pause = Duration.seconds(600)

    /// A service over the connections in `store` and the invitations in the configuration.
    package init(configuration: Configuration, store: Store, log: LogSink, report: @escaping HealthReporter) {
        (self.configuration, self.store, self.log) = (configuration, store, log)
        health = AgentHealth(report: report)
    }

    /// The destinations: how far the ledger has come to each, and what is wrong with it.
    package func status() async -> JSON {
        let end = await store.head.point.count
        let cursors = await store.deliveries.values.sorted {
            $0.destination.utf8.lexicographicallyPrecedes($1.destination.utf8)
        }
        return .array(
            cursors.map { cursor in
                [
                    "name": .string(cursor.destination), "connected": .bool(cursor.connection != nil),
                    "confirmed": .int(cursor.confirmed), "waiting": .int(end - cursor.confirmed),
                    "faults": .array(health.faults(of: cursor.destination).map { .text($0.text) }),
                ]
            })
    }

    /// Something has been recorded: look at once.
    package func wake() {
        for destination in destinations.withLock({ Array($0.values) }) { Task { await destination.wake() } }
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
        return AgentConnection.Configuration(
            label: Text(configuration.kiosk.id), limits: limits, rules: configuration.agent.rules)
    }

    private func run(_ exchange: HTTPExchange) async {
        let agent = configuration.agent
        let wanted =
            [(DeliveryCursor.primary, agent.invitations)] + agent.copies.map { (Text($0.name), $0.invitations) }
        await prepare(wanted.map(\.0))
        await withTaskGroup(of: Void.self) { group in
            for (name, files) in wanted {
                let destination = destination(name, files, exchange)
                destinations.withLock { $0[name] = destination }
                group.addTask { await destination.run() }
            }
        }
    }

    /// Each destination has a cursor, and nobody else.
    private func prepare(_ names: [Text]) async {
        while !Task.isCancelled {
            do {
                try await store.forgetDestinations(except: Set(names))
                for name in names { try await store.destination(name) }
                return
            } catch {
                log.log(.error, "agent.store", ["reason": .text(error.text)])
                try? await Task.sleep(for: .seconds(10))
            }
        }
    }

    private func destination(_ name: Text, _ files: [String], _ exchange: HTTPExchange) -> Destination {
        Destination(
            files: files,
            Destination.Surroundings(
                invitation: { (file) async throws(InvitationReader.Failure) in
                    try await InvitationReader.read(file, by: exchange)
                },
                link: AgentLink.Surroundings(
                    exchange: exchange, store: store, destination: name, outbox: StoredOutbox(store, name),
                    reports: configuration.agent.reports, clock: .system(),
                    observe: { [weak self] in self?.take($0, name) }),
                settings: Self.connection(configuration), invitations: StoredInvitations(store, name),
                notice: { [weak self] in self?.take($0, name) }))
    }

    private func take(_ notice: AgentNotice, _ name: Text) {
        log.log(notice.isRoutine ? .debug : .info, "agent", ["destination": .string(name), "text": .text(notice.text)])
        if let code = health.take(notice, of: name) { tellOthers(code, name, notice.text) }
        switch notice {
        // The connection that was replaced looks at once, and ends.
        case .tookOver: wake()
        // The network may be back for the others, too.
        case .reachable:
            for (other, destination) in destinations.withLock({ $0 }) where other != name {
                Task { await destination.retryNow() }
            }
        default: break
        }
        guard case .behind(let point) = notice, name == DeliveryCursor.primary else { return }
        let finding = Text("the agent has a receipt for record \(point.position), which this ledger does not contain")
        Task { [store] in await store.contradict(finding) }
    }

    private func take(_ notice: DestinationNotice, _ name: Text) {
        switch notice {
        case .answeredOnce: log.log(.info, "agent", ["destination": .string(name), "text": .text(notice.text)])
        case .storeFailed: log.log(.error, "agent", ["destination": .string(name), "text": .text(notice.text)])
        case .invitationFailed(_, _, isConnected: true):
            log.log(.warning, "agent", ["destination": .string(name), "text": .text(notice.text)])
        default: break
        }
        guard let code = health.take(notice, of: name) else { return }
        log.log(.warning, "agent", ["destination": .string(name), "text": .text(notice.text)])
        tellOthers(code, name, notice.text)
    }

    /// One destination's trouble is told to the others, each code once in ``pause``.
    private func tellOthers(_ code: ReasonCode, _ name: Text, _ text: String) {
        let now = ContinuousClock.now
        let isDue = told.withLock { told in
            if let last = told[code], now - last < Self.pause { return false }
            told[code] = now
            return true
        }
        guard isDue else { return }
        for (other, destination) in destinations.withLock({ $0 }) where other != name {
            Task { await destination.tell(code: Text(code.text), explanation: Text("\(name): \(text)")) }
        }
    }
}
