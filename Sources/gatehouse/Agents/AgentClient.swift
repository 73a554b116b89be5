import Administration
import Clocks
import Console
import Courier
import Encoding
import Foundation
import GateService
import LinuxIO
import Observation
import Settings
import Store
import Synchronization

/// The access of the agent commands to an ``AgentHandler``: that of the running service or, if no service runs, one
/// in this process on the databases.
struct AgentClient: Sendable {
    private let answer: @Sendable (AgentRequest) async throws -> JSON
    /// Throws if a service was started that waits for the database which this process uses.
    private let makeWay: @Sendable () throws -> Void

    /// The purpose for which a command uses the connections.
    enum Purpose {
        /// To read the stored data. No connection runs.
        case looking
        /// To communicate with the agents. The stored connections run.
        case talking
        /// To accept an invitation for the destination `to` (nil: the primary destination). The stored connections
        /// run. Only for this purpose is an absent ledger created.
        case connecting(to: Text?)

        /// Whether connections run for this purpose.
        fileprivate var runs: Bool { if case .looking = self { false } else { true } }
        /// Whether an absent ledger may be created for this purpose.
        fileprivate var mayMake: Bool { if case .connecting = self { true } else { false } }
    }

    /// Sends one request and returns the answer.
    func ask(_ request: AgentRequest) async throws -> JSON { try await answer(request) }

    /// Returns the report about a connection. `name`: its id, or the name of its destination.
    func show(_ name: Text) async throws -> ConnectionReport { ConnectionReport(try await ask(.show(name))) }

    /// Returns the reports about all connections, the oldest first.
    func list() async throws -> [ConnectionReport] {
        ConnectionReport.List(try await ask(.list)).connections ?? []
    }

    /// Waits for `pause` before a request is repeated. Throws if a service that was started meanwhile waits for the
    /// database, because no gate may wait for a command.
    func rest(_ pause: Duration) async throws {
        try makeWay()
        try await Machine.clock.sleep(for: pause)
    }

    /// Polls a connection until `isDone` is true for its report or `limit` has passed. Returns the last report. Calls
    /// `problem` with each new problem.
    func watch(
        _ id: Text, within limit: Duration, until isDone: (ConnectionReport) -> Bool,
        problem: (String) -> Void = { _ in }
    ) async throws -> ConnectionReport {
        let end = Machine.clock.now().advanced(by: limit)
        var told: String?
        while true {
            let card = try await show(id)
            if let words = card.problem?.words, words != told {
                problem(words)
                told = words
            }
            if isDone(card) || Machine.clock.now() >= end { return card }
            try await rest(.milliseconds(50))
        }
    }

    /// The time limit for loading the stored connections.
    private static let patience = Duration.seconds(10)

    /// Calls `body` with a client. `purpose` has an effect only if no service runs.
    static func open<Result: Sendable>(
        _ input: ConfigurationInput, for purpose: Purpose, _ body: (AgentClient) async throws -> Result
    ) async throws -> Result {
        let question = ControlQuestion(socket: nil, input: input)
        if try question.answer(to: .agentList) != nil {
            return try await body(
                AgentClient(
                    answer: { request in
                        let (name, members) = request.request
                        return try question.ask(name, members)
                    }, makeWay: {}))
        }
        let configuration = try input.load()
        if case .connecting(let destination) = purpose,
            let refusal = AgentHandler.refusal(of: destination, in: configuration)
        {
            throw CommandFailure(Terminal.printable(refusal.message), remedy: refusal.remedy)
        }
        let (store, log) = (try await open(configuration, mayMake: purpose.mayMake), try LogSink(.file("/dev/null")))
        let service = AgentService(
            configuration: configuration, store: store,
            openCourier: { () throws(StoreError) in
                try await CourierOpening.open(
                    configuration, besides: store, ProcessInfo.processInfo.environment,
                    options: options(mayMake: purpose.mayMake), log: log, report: { _ in })
            }, log: log, purpose: .command, clock: Machine.clock, spawner: Machine.spawner, report: { _ in })
        do throws(StoreError) {
            try await service.open()
        } catch {
            await store.close()
            throw CommandFailure(error.text, remedy: error.remedy)
        }
        let task = purpose.runs ? Machine.spawner.start("the connections") { try? await service.run() } : nil
        func end() async {
            task?.cancel()
            await task?.value
            await service.close()
            await store.close()
        }
        do {
            let latest = Machine.clock.now().advanced(by: patience)
            while purpose.runs, await !service.isRunning {
                guard Machine.clock.now() < latest else {
                    throw CommandFailure(
                        "the stored connections cannot be used",
                        remedy: "check the disk and the output of gatehouse agent list")
                }
                try await Machine.clock.sleep(for: .milliseconds(5))
            }
            let result = try await body(onDatabase(AgentHandler(store: store, service: service), question))
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    /// Returns the client of a command that itself opened the databases.
    private static func onDatabase(_ agents: AgentHandler, _ question: ControlQuestion) -> AgentClient {
        var router = ControlRouter()
        agents.register(in: &router)
        let looked = Mutex(Machine.clock.now())
        return AgentClient(
            answer: { [router] request in
                let (name, members) = request.request
                return try ControlQuestion.content(await router.answer(name.line(members)))
            },
            makeWay: {
                let now = Machine.clock.now()
                let isDue = looked.withLock { last in
                    guard last.duration(to: now) >= lookInterval else { return false }
                    last = now
                    return true
                }
                // A service that still waits for the ledger also answers this request.
                guard isDue, (try? question.answer(to: .status)) != nil else { return }
                throw CommandFailure(
                    "a service has started and now uses the ledger",
                    remedy: "repeat the command: it then asks the service, which continues with the stored state",
                    exitCode: 1)
            })
    }

    /// The minimum time between two checks whether a service waits for the database.
    private static let lookInterval = Duration.seconds(1)

    private static func open(_ configuration: Configuration, mayMake: Bool) async throws -> Store {
        do {
            // Open the ledger with the key of its seal: a change without that key would invalidate the seal.
            let environment = ProcessInfo.processInfo.environment
            return try await Store.open(
                configuration.ledger.path, options: options(mayMake: mayMake),
                witness: configuration.ledger.witness(environment), sealing: configuration.agent.sealing(environment))
        } catch {
            throw CommandFailure(error.text, remedy: remedy(error))
        }
    }

    private static func options(mayMake: Bool) -> StoreOptions {
        // This process may lack a key that only the service can read. Therefore do not replace the ledger by a new
        // one, and leave a damaged database of the courier to the service.
        var options = StoreOptions()
        (options.mayBeginNewLedger, options.mayMake) = (false, mayMake)
        return options
    }

    /// Returns the remedy for an error of the ledger's database. If another user owns the folder, the remedy is to run
    /// the command as that user: files that root creates there could be unreadable for the service.
    private static func remedy(_ error: StoreError) -> String {
        if case .locked = error {
            return "a service without a control socket uses it: set control.path, or stop the "
                + "service"
        }
        if case .absent = error {
            return "check the path; start the service, or accept an invitation (gatehouse agent connect): either "
                + "creates it"
        }
        guard case .unsafeFolder(let folder, _) = error else { return error.remedy }
        guard let owner = (try? FileStatus(folder, links: .followed))?.owner, owner != geteuid(),
            let user = getpwuid(owner)
        else {
            return error.remedy
        }
        let name = String(cString: user.pointee.pw_name)
        return "run the command as the user \(name): sudo -u \(name) gatehouse agent …"
    }
}
