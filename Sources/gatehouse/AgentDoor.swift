import Appliance
import Encoding
import Foundation
import LinuxIO
import Store

/// Where the agent commands get their answers: from the running service, or, where none runs, from its desk on the database here.
struct AgentDoor: Sendable {
    private let answer: @Sendable (AgentRequest) async throws -> JSON

    /// Asks one thing.
    func ask(_ request: AgentRequest) async throws -> JSON { try await answer(request) }

    /// Looks at a connection until it is as wanted or the time is over; its last card. `problem` hears each new one.
    func watch(
        _ id: Text, within limit: Duration, until isDone: (JSON) -> Bool, problem: (String) -> Void = { _ in }
    ) async throws -> JSON {
        let end = ContinuousClock.now + limit
        var told: Text?
        while true {
            let card = try await ask(.show(id))
            if let text = card["problem"]?["text"]?.string, text != told {
                problem(text.string)
                told = text
            }
            if isDone(card) || ContinuousClock.now >= end { return card }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Lends a door to `body`. `runs`: whether connections are to run for it where no service runs them.
    static func open<Result: Sendable>(
        _ input: ConfigurationInput, runs: Bool = false, _ body: (AgentDoor) async throws -> Result
    ) async throws -> Result {
        let question = ControlQuestion(socket: nil, input: input)
        if try question.answer(to: .agentList) != nil {
            return try await body(
                AgentDoor { request in
                    let (name, members) = request.request
                    return try question.ask(name, members)
                })
        }
        let configuration = try input.load()
        let store = try await open(configuration)
        let service = AgentService(
            configuration: configuration, store: store, log: try LogSink(.file("/dev/null")), purpose: .command,
            report: { _ in })
        let task = runs ? Task { try await service.run() } : nil
        func end() async {
            task?.cancel()
            _ = await task?.result
            await store.close()
        }
        do {
            while runs, await !service.isRunning { try await Task.sleep(for: .milliseconds(5)) }
            let result = try await body(door(AgentDesk(store: store, service: service)))
            await end()
            return result
        } catch {
            await end()
            throw error
        }
    }

    private static func door(_ agents: AgentDesk) -> AgentDoor {
        var desk = ControlDesk()
        agents.register(in: &desk)
        return AgentDoor { [desk] request in
            let (name, members) = request.request
            return try ControlQuestion.content(await desk.answer(name.line(members)))
        }
    }

    private static func open(_ configuration: Configuration) async throws -> Store {
        do {
            // With the key of its seal: whoever writes to the ledger without it makes it look tampered with.
            let environment = ProcessInfo.processInfo.environment
            return try await Store.open(
                configuration.ledger.path, witness: configuration.ledger.witness(environment),
                sealing: configuration.agent.sealing(environment))
        } catch {
            throw CommandFailure(error.text, remedy: remedy(error))
        }
    }

    /// A ledger of the service's user is not root's to write: the files it would make could keep the service out.
    private static func remedy(_ error: StoreError) -> String {
        if case .locked = error { return "a service has it that cannot be asked: set control.path, or stop it" }
        guard case .unsafeFolder(let folder, _) = error else { return error.remedy }
        var status = stat()
        guard stat(folder, &status) == 0, status.st_uid != geteuid(), let user = getpwuid(status.st_uid) else {
            return error.remedy
        }
        let name = String(cString: user.pointee.pw_name)
        return "run the command as the user \(name): sudo -u \(name) gatehouse agent …"
    }
}
