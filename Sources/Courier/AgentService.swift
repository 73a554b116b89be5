import Aries
package import Clocks
import Credentials
package import Encoding
package import HTTPTransport
package import Kiosk
import Ledger
package import LinuxIO
package import Observation
package import Reasons
import ServiceLifecycle
package import Settings
package import Store
import Synchronization

/// Runs the connections to all agents at the same time, and delivers the ledger over them. No part of the gate waits
/// for this service, or for the courier's database, which the service opens itself.
package final class AgentService: ServiceLifecycle.Service, Sendable {
    /// The purpose for which the service is created.
    package enum Purpose: Sendable {
        /// To run in the gate: it reads invitations from their files and delivers the ledger.
        case service
        /// To carry out one command on a database that no running service uses: the command makes, tests or deletes
        /// connections, and delivers nothing.
        case command
    }

    let configuration: Configuration
    let store: Store
    private let access: CourierAccess
    private let log: LogSink
    let clock: Clock
    let spawner: Spawner
    private let report: HealthReporter
    let purpose: Purpose
    let times: AgentTimes
    private let contacts: (any ContactBook)?
    let network: (any MessageExchange)?
    private let destinations = Mutex<[Text: Destination]>([:])
    private let mailboxes = Mutex<MailboxManager?>(nil)
    private let (deletions, marked) = AsyncStream.makeStream(of: Text.self, bufferingPolicy: .bufferingNewest(64))
    private let (findings, contradicted) = AsyncStream.makeStream(of: Text.self, bufferingPolicy: .bufferingNewest(1))
    /// The core that decides the reactions to the notices of all parts.
    private let notices = Mutex(NoticeCore())
    /// Actions that a task of the running service carries out.
    private let (work, begun) = AsyncStream.makeStream(
        of: NoticeCore.Action.self, bufferingPolicy: .bufferingNewest(1024))

    /// The findings of this run that contradict the ledger. The witness has recorded each of them, so the next start
    /// begins a new ledger.
    package var contradictions: AsyncStream<Text> { findings }

    /// Creates a service that delivers the ledger in `store` over the stored connections, and over new connections by
    /// the configured invitations. `openCourier` opens the courier's database, into which it has moved the rows of an
    /// earlier version (``Store/handOver(to:)``). `contacts` decides before each request to a server whether the
    /// server may be contacted. `network` posts messages to agents and mailboxes; nil: over HTTP.
    package init(
        configuration: Configuration, store: Store,
        openCourier: @escaping @Sendable () async throws(StoreError) -> CourierStore, log: LogSink,
        purpose: Purpose = .service, times: AgentTimes = AgentTimes(), clock: Clock, spawner: Spawner,
        contacts: (any ContactBook)? = nil,
        network: (any MessageExchange)? = nil, report: @escaping HealthReporter
    ) {
        (self.contacts, self.network) = (contacts, network)
        (self.configuration, self.store, self.log, self.purpose) = (configuration, store, log, purpose)
        (self.times, self.clock, self.spawner, self.report) = (times, clock, spawner, report)
        access = CourierAccess(CourierStore.path(of: store.path), openCourier)
    }

    /// Opens the courier's database, unless it is already open.
    package func open() async throws(StoreError) { try await access.open() }

    /// Closes the courier's database. Call this function after ``run()`` has returned.
    package func close() async { await access.close() }

    /// Returns the open courier's database (``CourierAccess/get()``).
    func courier() throws(ConnectFailure) -> CourierStore { try access.get() }

    private func step(_ step: AgentFaults.Step) -> RepeatedStep {
        RepeatedStep(clock: clock) { [weak self] in self?.take(.step(step, failure: $0)) }
    }

    /// Opens the courier's database and compares it with the ledger's cursors, again after a failure until both
    /// succeed. Returns nil if the task is cancelled before that. The order matters: the end of a failed opening is
    /// reported after the faults that remain.
    private func openedCourier() async -> CourierStore? {
        await step(.opening).run { () async throws(StoreError) in
            let courier = try await self.access.open(by: self.clock) { [weak self] in
                self?.take(.step(.opening, failure: $0))
            }
            for keys in [self.store.keysAtRest, courier.keysAtRest] { keys.fault.map { self.take(.keys($0)) } }
            try await self.findLosses(in: courier)
        }
        return try? courier()
    }

    /// Reports each configured destination whose active connection the courier's database does not contain. As the
    /// cursor keeps the name of this connection, each start reports it until another connection takes over.
    private func findLosses(in courier: CourierStore) async throws(StoreError) {
        let stored = Set(try await courier.connections().map(\.id))
        for cursor in await store.deliveries.values where names.contains(cursor.destination) {
            guard let id = cursor.connection, !stored.contains(id) else { continue }
            let detail =
                courier.damage.map { "\($0.detail); put aside as \($0.file)" }
                ?? "\(courier.path) does not contain the connection \(id)"
            take(.destination(.lost(detail), of: cursor.destination))
        }
    }

    /// Returns the delivery state and the faults of each destination of this gate. A gate without agents has none,
    /// although the ledger's database contains a cursor of the primary destination.
    package func status() async -> [StatusReport.Destination] {
        var cursors: [DeliveryCursor] = []
        for cursor in await store.deliveries.values where await isThere(cursor) { cursors.append(cursor) }
        cursors.sort { $0.destination.utf8.lexicographicallyPrecedes($1.destination.utf8) }
        let (faults, receipts) = notices.withLock { ($0.faults, $0.receipts) }
        var listed: [StatusReport.Destination] = []
        for cursor in cursors {
            var destination = StatusReport.Destination()
            destination.name = cursor.destination
            destination.isConnected = await self.destination(cursor.destination)?.isConnected(by: cursor.connection)
            (destination.confirmed, destination.waiting) = (cursor.confirmed, await store.owed(to: cursor.destination))
            destination.lastReceipt = receipts[cursor.destination]
            destination.faults = faults.of(cursor.destination).map { Text($0.text) }
            listed.append(destination)
        }
        return listed
    }

    /// Returns whether the status lists the destination of `cursor`. It lists a destination that has a connection or
    /// an invitation. It also lists a destination that had a connection before and has not confirmed all entries,
    /// until it has confirmed them.
    private func isThere(_ cursor: DeliveryCursor) async -> Bool {
        if cursor.connection != nil { return true }
        if cursor.isKnown, await store.head.point.count > cursor.confirmed { return true }
        if await store.debts.contains(where: { $0.destination == cursor.destination }) { return true }
        if wanted.contains(where: { $0.name == cursor.destination && !$0.files.isEmpty }) { return true }
        return await destination(cursor.destination)?.isEmpty == false
    }

    /// Makes every connection look for new entries of the ledger now. The running service does this with
    /// ``NoticeCore/Action/wake``, ``Destination/wake()`` and ``AgentLink/wake()``.
    package func wake() { begun.yield(.wake) }

    package func run() async throws {
        var settings = Self.settings(configuration)
        settings.contacts = contacts
        try await HTTPExchange.withExchange(settings) { exchange in
            await cancelWhenGracefulShutdown { await self.run(exchange) }
        }
    }

    /// The configured destinations, each with the paths or URLs of its invitations.
    private var wanted: [(name: Text, files: [String])] { Self.wanted(configuration) }

    private func run(_ exchange: HTTPExchange) async {
        if let file = configuration.agent.rootsFile, HTTPExchange.countRoots(in: file) == nil {
            log.log(
                .warning, "agent.roots",
                [
                    "file": .text(file),
                    "remedy": "check agent.rootsFile: it contains no PEM certificates; it is read again at each change",
                ])
        }
        guard let courier = await openedCourier() else { return }
        // If this fails, the wanted destinations start without it.
        let preparation = step(.preparation)
        let isPrepared = await preparation.attempt { () async throws(StoreError) in try await self.prepare(courier) }
        let mailboxes = mailboxManager(exchange, courier)
        self.mailboxes.withLock { $0 = mailboxes }
        var made: [(Text, Destination)] = []
        for (name, files) in wanted {
            let files = purpose == .service ? files : []
            guard let destination = try? destination(name, files, mailboxes, exchange, courier) else {
                return log.log(
                    .error, "agent", ["text": "the system provides no random bytes, so no agent is connected"])
            }
            made.append((name, destination))
        }
        destinations.withLock { $0 = Dictionary(made, uniquingKeysWith: { first, _ in first }) }
        await withDiscardingTaskGroup { group in
            group.addTask { await mailboxes.run() }
            for (_, destination) in made { group.addTask { await destination.run() } }
            group.addTask { await self.finishDeletions(exchange, courier) }
            if !isPrepared {
                group.addTask {
                    await preparation.rest()
                    await preparation.run { () async throws(StoreError) in try await self.prepare(courier) }
                }
            }
            for await action in work { group.addTask { await self.carryOut(action) } }
        }
    }

    // MARK: - Commands

    /// The names of the configured destinations.
    var names: [Text] { wanted.map(\.name) }

    /// Returns the destination with the given name. ``CourierStore/requestsName(of:)``, the name for connections that
    /// only answer requests, also leads to its destination. Returns nil while the service does not run.
    func destination(_ name: Text) -> Destination? {
        destinations.withLock { all in
            all[name] ?? all.first { CourierStore.requestsName(of: $0.key) == name }?.value
        }
    }

    /// Whether every destination has loaded its stored connections.
    package var isRunning: Bool {
        get async {
            let all = allDestinations
            for destination in all where await !destination.isLoaded { return false }
            return !all.isEmpty
        }
    }

    /// Returns the faults of a destination.
    func faults(of name: Text) -> [ReasonCode] { notices.withLock { $0.faults.of(name) } }

    /// Waits for `pause`, measured by the service's clock.
    func rest(_ pause: Duration) async { try? await clock.sleep(for: pause) }

    /// Continues the deletion of connections that are marked for deletion in the courier's database. With
    /// `tellsAgent`, a background task first notifies their agents and then removes the connections; otherwise
    /// removes them now.
    func delete(_ ids: [Text], of name: Text, tellsAgent: Bool) async throws {
        // Since the caller read `name`, a connection may have become the connection to the mailbox, or ceased to be
        // it.
        if let mailboxes = mailboxes.withLock({ $0 }) {
            for id in ids { await mailboxes.remove(id) }
        }
        for (key, destination) in destinations.withLock({ $0 }) {
            var isConcerned = key == name
            for id in ids where await destination.remove(id) { isConcerned = true }
            guard isConcerned else { continue }
            take(.removed(key, isEmpty: await destination.isEmpty, isConnected: await destination.isConnected))
        }
        for id in ids {
            if tellsAgent { marked.yield(id) } else { try await forget(id, of: name, isTold: false, try courier()) }
        }
    }

    /// Deletes the connections that are marked for deletion, beginning with those that an earlier run marked.
    private func finishDeletions(_ exchange: HTTPExchange, _ courier: CourierStore) async {
        let step = step(.deletion)
        await step.run { () async throws(StoreError) in
            for stored in try await courier.connections() where stored.isDeleting { self.marked.yield(stored.id) }
        }
        for await id in deletions {
            let isDone = await step.attempt { () async throws(StoreError) in
                try await self.finishDeletion(of: id, exchange, courier)
            }
            guard !isDone else { continue }
            await step.rest()
            marked.yield(id)
        }
    }

    /// Notifies the peer that its connection ends, and then removes the connection with its keys. If the program ends
    /// before the removal, the next start repeats both. An agent that does not answer delays only the deletions that
    /// wait for this one.
    private func finishDeletion(
        of id: Text, _ exchange: HTTPExchange, _ courier: CourierStore
    ) async throws(StoreError) {
        let stored = try await courier.connections().first { $0.id == id && $0.isDeleting }
        guard let stored else { return }
        var isTold = false
        if stored.tellsPeer, let snapshot = (try? JSON.parse(stored.snapshot)).map({ $0["connection"] ?? $0 }),
            let random = try? AgentLinks.randomStream(),
            let connection = try? AgentConnection(
                restoring: snapshot, configuration: self.connection, random: random)
        {
            isTold = await HangupSender.send(
                over: connection, by: network ?? exchange, clock: clock, within: times.farewell)
        }
        guard !Task.isCancelled else { return }
        try await forget(id, of: stored.destination, isTold: isTold, courier)
    }

    /// Removes a connection that is marked for deletion, with its keys.
    private func forget(
        _ id: Text, of name: Text, isTold: Bool, _ courier: CourierStore
    ) async throws(StoreError) {
        // An earlier run may have ended after the mark and before this step.
        try await store.letGo(of: id)
        // The mailbox records that it must delete the key of this connection.
        await mailboxes.withLock { $0 }?.close(id)
        try await courier.finishDeletion(of: id)
        log.log(
            .info, "agent.deleted",
            ["destination": .string(name), "connection": .string(id), "told": .bool(isTold)])
    }

    /// Creates a cursor for each configured destination, and removes all other destinations. Removes their
    /// connections first: if the program then ends, the next start still finds the destinations and continues.
    private func prepare(_ courier: CourierStore) async throws(StoreError) {
        try await courier.forgetConnections(to: await store.destinations(except: Set(names)))
        try await store.forgetDestinations(except: Set(names))
        for name in names { try await store.cursor(of: name) }
    }

    // MARK: - Notices

    func take(_ notice: AgentNotice, _ name: Text) { take(.link(notice, of: name, date: clock.utc())) }

    /// Handles a notice. The actions that take time are carried out by a task of the running service.
    func take(_ event: NoticeCore.Event) {
        // The clock is read under the lock, so that events of several links are handled in the order of their times.
        for action in notices.withLock({ $0.handle(event, at: clock.now()) }) {
            switch action {
            case .log(let level, let name, let members): log.log(level, name, members)
            case .report(let fault): report(fault)
            case .finishDeletion(let id): marked.yield(id)
            default: begun.yield(action)
            }
        }
    }

    private func carryOut(_ action: NoticeCore.Action) async {
        switch action {
        case .tellOthers(let code, let text, let name):
            for destination in others(name) {
                await destination.tell(code: Text(code.text), explanation: Text("\(name): \(text)"))
            }
        case .wake: for destination in allDestinations { await destination.wake() }
        case .retry(let name, let time):
            let wait = clock.now().duration(to: time)
            if wait > .zero { await rest(wait) }
            guard !Task.isCancelled else { return }
            for destination in others(name) { await destination.retryNow() }
            await mailboxes.withLock { $0 }?.retryNow()
        case .delete(let ids, let name): try? await delete(ids, of: name, tellsAgent: true)
        case .dropMailbox: await mailboxes.withLock { $0 }?.drop()
        case .contradict(let finding): if await store.contradict(finding) { contradicted.yield(finding) }
        case .log, .report, .finishDeletion: break
        }
    }

    private var allDestinations: [Destination] { destinations.withLock { Array($0.values) } }

    /// Returns all destinations except the one with the given name.
    private func others(_ name: Text) -> [Destination] {
        destinations.withLock { $0.filter { $0.key != name }.map(\.value) }
    }

    /// Sends a problem report about the gate to every destination except those in `heard`. Returns the destinations
    /// that have received it, including those in `heard`, and whether these are all destinations of the running
    /// service.
    package func tell(
        _ code: ReasonCode, _ text: String, sparing heard: Set<Text>
    ) async -> (heard: Set<Text>, isComplete: Bool) {
        var (heard, isComplete) = (heard, await isRunning)
        guard isComplete else { return (heard, false) }
        for (name, destination) in destinations.withLock({ $0 }) where !heard.contains(name) {
            if await destination.tell(code: Text(code.text), explanation: Text(text)) {
                heard.insert(name)
            } else {
                isComplete = false
            }
        }
        return (heard, isComplete)
    }
}
