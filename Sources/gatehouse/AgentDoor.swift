import Administration
import Clocks
import Courier
import Encoding
import Foundation
import GateService
import LinuxIO
import Settings
import Store
import Synchronization

/// The source of answers for the agent commands: the running service, or, if none runs, a desk of this
/// process on the database.
struct AgentDoor: Sendable {
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

    /// Waits before a request is repeated. Throws if a service that was started in the meantime wants the
    /// database: no gate waits for a command.
    func rest(_ pause: Duration) async throws {
        try makeWay()
        try await Machine.clock.sleep(for: pause)
    }

    /// Polls a connection until `isDone` is true for its card or the time is over. Returns the last card.
    /// `problem` is called with each new problem.
    func watch(
        _ id: Text, within limit: Duration, until isDone: (JSON) -> Bool, problem: (String) -> Void = { _ in }
    ) async throws -> JSON {
        let end = Machine.clock.now().advanced(by: limit)
        var told: Text?
        while true {
            let card = try await ask(.show(id))
            if let text = card["problem"]?["text"]?.string, text != told {
                problem(text.string)
                told = text
            }
            if isDone(card) || Machine.clock.now() >= end { return card }
            try await rest(.milliseconds(50))
        }
    }

    /// The time limit until the connections of a database run.
    private static let patience = Duration.seconds(10)

    /// Calls `body` with a door. The purpose matters only if no service runs the connections.
    static func open<Result: Sendable>(
        _ input: ConfigurationInput, for purpose: Purpose, _ body: (AgentDoor) async throws -> Result
    ) async throws -> Result {
        let question = ControlQuestion(socket: nil, input: input)
        if try question.answer(to: .agentList) != nil {
            return try await body(
                AgentDoor(
                    answer: { request in
                        let (name, members) = request.request
                        return try question.ask(name, members)
                    }, makeWay: {}))
        }
        let configuration = try input.load()
        if case .connecting(let destination) = purpose,
            let refusal = AgentDesk.refusal(of: destination, in: configuration)
        {
            throw CommandFailure(Terminal.printable(refusal.message), remedy: refusal.remedy)
        }
        let store = try await open(configuration, mayMake: purpose.mayMake)
        let service = AgentService(
            configuration: configuration, store: store, log: try LogSink(.file("/dev/null")), purpose: .command,
            report: { _ in })
        let task = purpose.runs ? Machine.spawner.start("the connections") { try? await service.run() } : nil
        func end() async {
            task?.cancel()
            await task?.value
            await store.close()
        }
        do {
            let latest = Machine.clock.now().advanced(by: patience)
            while purpose.runs, await !service.isRunning {
                guard Machine.clock.now() < latest else {
                    throw CommandFailure(
                        "the stored connections cannot be taken up",
                        remedy: "look at the disk, and at what gatehouse agent list says")
                }
                try await Machine.clock.sleep(for: .milliseconds(5))
            }
            let result = try await body(door(AgentDesk(store: store, service: service), question))
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    private static func door(_ agents: AgentDesk, _ question: ControlQuestion) -> AgentDoor {
        var desk = ControlDesk()
        agents.register(in: &desk)
        let looked = Mutex(Machine.clock.now())
        return AgentDoor(
            answer: { [desk] request in
                let (name, members) = request.request
                return try ControlQuestion.content(await desk.answer(name.line(members)))
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
                    "a service was started meanwhile, and the ledger is left to it",
                    remedy: "give the same command once more: it asks the service, which goes on with what is stored",
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
            // A key that only the service can read may be missing in this process. Do not begin another
            // ledger for that reason.
            var options = StoreOptions()
            (options.mayBeginAnew, options.mayMake) = (false, mayMake)
            return try await Store.open(
                configuration.ledger.path, options: options, witness: configuration.ledger.witness(environment),
                sealing: configuration.agent.sealing(environment))
        } catch {
            throw CommandFailure(error.text, remedy: remedy(error))
        }
    }

    /// Returns the remedy for an error of the database. Root must not write to a ledger of the service's
    /// user: the files that root makes could keep the service out.
    private static func remedy(_ error: StoreError) -> String {
        if case .locked = error { return "a service has it that cannot be asked: set control.path, or stop it" }
        if case .absent = error {
            return "check the path; start the service, or accept an invitation: gatehouse agent connect; each makes it"
        }
        guard case .unsafeFolder(let folder, _) = error else { return error.remedy }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid != geteuid(), let user = getpwuid(status.st_uid) else {
            return error.remedy
        }
        let name = String(cString: user.pointee.pw_name)
        return "run the command as the user \(name): sudo -u \(name) gatehouse agent …"
    }
}
