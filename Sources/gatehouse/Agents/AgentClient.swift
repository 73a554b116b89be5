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

/// The source of answers for the agent commands: the running service, or, if none runs, a handler of this
/// process on the database.
struct AgentClient: Sendable {
    private let answer: @Sendable (AgentRequest) async throws -> JSON
    /// Throws once a service runs that waits for the database of this process.
    private let makeWay: @Sendable () throws -> Void

    /// The use of the connections by a command.
    enum Purpose {
        /// The command reads only the stored data.
        case looking
        /// The command runs the stored connections to communicate with their agents.
        case talking
        /// Runs the stored connections, to accept an invitation to the destination `to`; nil: the primary
        /// destination. Only for this purpose a ledger is made if none exists.
        case connecting(to: Text?)

        /// Whether connections run for this purpose.
        fileprivate var runs: Bool { if case .looking = self { false } else { true } }
        /// Whether this purpose may make a ledger.
        fileprivate var mayMake: Bool { if case .connecting = self { true } else { false } }
    }

    /// Makes one request and returns the answer.
    func ask(_ request: AgentRequest) async throws -> JSON { try await answer(request) }

    /// Returns the report about the connection `name`, which is an id or the name of a destination.
    func show(_ name: Text) async throws -> ConnectionReport { ConnectionReport(try await ask(.show(name))) }

    /// Returns the reports about all connections, the oldest first.
    func list() async throws -> [ConnectionReport] {
        ConnectionReport.List(try await ask(.list)).connections ?? []
    }

    /// Waits before a request is repeated. Throws if a service that was started in the meantime wants the
    /// database: no gate waits for a command.
    func rest(_ pause: Duration) async throws {
        try makeWay()
        try await Machine.clock.sleep(for: pause)
    }

    /// Polls a connection until `isDone` is true for its card or the time is over. Returns the last card.
    /// `problem` is called with each new problem.
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

    /// The time limit until the connections of a database run.
    private static let patience = Duration.seconds(10)

    /// Calls `body` with a client. The purpose matters only if no service runs the connections.
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
            throw CommandFailure(error.text, remedy: remedy(error))
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

    /// Returns the client of a command that uses the database itself.
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
                // A service that still waits for the ledger answers this request, too.
                guard isDue, (try? question.answer(to: .status)) != nil else { return }
                throw CommandFailure(
                    "a service has started and now uses the ledger",
                    remedy: "repeat the command: it then asks the service, which continues with the stored state",
                    exitCode: 1)
            })
    }

    /// The interval at which a waiting command checks whether a service wants the database.
    private static let lookInterval = Duration.seconds(1)

    private static func open(_ configuration: Configuration, mayMake: Bool) async throws -> Store {
        do {
            // Open the ledger with the key of its seal: after a write without the key, the ledger looks
            // tampered with.
            let environment = ProcessInfo.processInfo.environment
            return try await Store.open(
                configuration.ledger.path, options: options(mayMake: mayMake),
                witness: configuration.ledger.witness(environment), sealing: configuration.agent.sealing(environment))
        } catch {
            throw CommandFailure(error.text, remedy: remedy(error))
        }
    }

    private static func options(mayMake: Bool) -> StoreOptions {
        // A key that only the service can read may be missing in this process. Do not begin another ledger for that
        // reason, and leave a damaged file of connections to the service.
        var options = StoreOptions()
        (options.mayBeginNewLedger, options.mayMake) = (false, mayMake)
        return options
    }

    /// Returns the remedy for an error of the database. Root must not write to a ledger of the service's
    /// user: the files that root makes could keep the service out.
    private static func remedy(_ error: StoreError) -> String {
        if case .locked = error {
            return "a service without a control socket uses it: set control.path, or stop the "
                + "service"
        }
        if case .absent = error {
            return "check the path; start the service, or accept an invitation (gatehouse agent connect): either "
                + "creates it"
        }
        switch error {
        case .corrupt(let path, _) where path.hasSuffix(CourierStore.path(of: "")),
            .unreadable(let path, _) where path.hasSuffix(CourierStore.path(of: "")):
            return "start the service, which puts the file aside; then connect again with a new invitation"
        default: break
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
