import Clocks
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Kiosk
import Mailboxes
import Reasons
import Simulation
import Synchronization
import TestKit
import Testing

@testable import Courier

/// An agency that posts when it has a message: the kiosk then polls at once, long before the next regular
/// poll. A stranger's posts cause no more polls than the limit allows.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct AgencyWebhookTests {
    private let free: ListenAddress
    private static let body = Array(#"{"msgUid":"u","pwDid":"d"}"#.utf8)

    init() throws { free = try #require(ListenAddress("127.0.0.1:0")) }

    @Test(arguments: AgencyDialect.allCases) func aMessageIsFetchedWhenTheAgencySaysSo(_ dialect: AgencyDialect)
        async throws
    {
        try await withAgency(dialect) { world, network, settings in
            await network.endLongPolls()
            var settings = settings
            settings.limits.poll = .seconds(3600)
            settings.webhook = .init(id: "kiosk", url: "https://kiosk.test/wake/1")
            let webhook = WebhookReceiver.Settings(free, target: "/wake/1")
            let kiosk = try await MailKiosk(world, .agency(settings), webhook: webhook)
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            try await kiosk.wait("registered") {
                await network.withAgency { $0.webhooks } == ["https://kiosk.test/wake/1"]
            }
            try await kiosk.wait("listening") { kiosk.notices.port != nil }
            let url = "http://127.0.0.1:\(try #require(kiosk.notices.port))/wake/1"
            for number in 0..<3 {
                // Wait until no answer is due any more, because the kiosk would poll for an answer anyway.
                try await kiosk.wait("quiet") {
                    let asked = await network.withAgency { $0.log.count }
                    try await Task.sleep(for: .milliseconds(300))
                    return await network.withAgency { $0.log.count } == asked
                }
                _ = await network.takeWakeUps()
                await network.send(Text("message \(number)"))
                try await Task.sleep(for: .milliseconds(300))
                #expect(kiosk.notices.messages == number, "nothing else brings it")
                let wakeUps = await network.takeWakeUps()
                #expect(wakeUps.count == 1)
                for wakeUp in wakeUps {
                    let answer = try await kiosk.http.exchange(wakeUp.body, with: url, as: "application/json")
                    #expect(answer.status == 200)
                }
                try await kiosk.wait("heard") { kiosk.notices.messages == number + 1 }
            }
            await kiosk.stop()
        }
    }

    /// The service continues polling, and listens as soon as it can.
    @Test func aPortInUseIsReported() async throws {
        try await withAgency(.evernym) { world, network, settings in
            let other = try LoopbackServer { _ in nil }
            let webhook = WebhookReceiver.Settings(
                ListenAddress(host: free.host, port: other.port), target: "/wake")
            let kiosk = try await MailKiosk(world, .agency(settings), webhook: webhook)
            try await kiosk.wait("told") {
                kiosk.notices.ofMailboxes.map(\.text).contains {
                    $0.contains("127.0.0.1:\(other.port): another program uses the address")
                }
            }
            try await kiosk.record(1)
            try await kiosk.wait("delivered") { await kiosk.isDelivered }
            await network.send("hello")
            try await kiosk.wait("heard") { kiosk.notices.messages == 1 }
            await kiosk.stop()
        }
    }

    @Test func itListensAsSoonAsItCan() async throws {
        let world = World()
        let port: Int
        do {
            let other = try LoopbackServer { _ in nil }
            port = other.port
            let task = world.listen(ListenAddress(host: free.host, port: port))
            defer { withExtendedLifetime(other) {} }
            try await world.wait { $0.cannotListen == 1 }
            try await Task.sleep(for: .milliseconds(100))
            #expect(world.cannotListen == 1, "told once")
            world.task = task
        }
        try await world.wait { $0.port == port }
        await world.stop()
    }

    /// A stranger who finds the address causes one poll at once, and then one in each pause.
    @Test func manyPostsCauseOnePollInEachPause() async throws {
        let world = World()
        world.task = world.listen(free, pause: .seconds(3600))
        try await world.wait { $0.port != nil }
        let url = "http://127.0.0.1:\(try #require(world.port))/wake"
        let answers = try await world.post(url, Array(repeating: Self.body, count: 200))
        #expect(answers.count == 200 && answers.allSatisfy { $0 == 200 })
        try await world.wait { $0.looks == 1 }
        #expect(try await world.post(url, [Self.body]) == [200])
        try await Task.sleep(for: .milliseconds(100))
        #expect(world.looks == 1)
        await world.stop()
    }

    @Test func postsDuringAPollCauseAnotherPoll() async throws {
        let world = World()
        world.task = world.listen(free, pause: .milliseconds(100))
        try await world.wait { $0.port != nil }
        let url = "http://127.0.0.1:\(try #require(world.port))/wake"
        // Posts that arrive before a poll begins share that poll.
        #expect(try await world.post(url, [Self.body]) == [200])
        try await world.wait { $0.looks == 1 }
        #expect(try await world.post(url, [Self.body, Self.body]) == [200, 200])
        try await world.wait { $0.looks >= 2 }
        // A post without a usable body causes no poll.
        #expect(try await world.post(url, [[], Array("{}".utf8), Array("hello".utf8)]) == [400, 400, 400])
        try await Task.sleep(for: .milliseconds(300))
        #expect((2...3).contains(world.looks))
        await world.stop()
    }

    @Test(.tags(.exact)) func theTimesOfAService() {
        let memory = Memory()
        let dependencies = MailboxManager.Dependencies(
            exchange: HangingExchange(), store: memory,
            settings: Mediator.Configuration(connection: .impatient, allowsPlainHTTP: false),
            invitation: { _ in throw CancellationError() }, refused: memory, clock: .system, notice: { _ in })
        #expect(dependencies.webhookPause == .seconds(2) && dependencies.pause == .seconds(10))
    }

    @Test(.tags(.exact)) func itIsAFaultOfItsOwn() {
        var faults = AgentFaults()
        let change = faults.take(.cannotListen(free, .inUse))
        #expect(change.added == .agentWebhook)
        #expect(change.reports.map(\.code) == [.agentWebhook] && change.reports.allSatisfy(\.isPresent))
        #expect(faults.take(.serves) == AgentFaults.Change())
        #expect(faults.take(.listens(free)) == AgentFaults.Change(reports: [.over(.agentWebhook)]))
        #expect(faults.of(MailboxManagerCore.destination).isEmpty)
        #expect(faults.take(.tokenFailed(.empty("/token"))).added == .agentMailbox)
    }

    /// A waker, and the polls that it causes.
    private final class World: @unchecked Sendable {
        private struct State {
            var looks = 0
            var cannotListen = 0
            var port: Int?
        }

        private let state = Mutex(State())
        var task: Task<Void, Never>?

        var looks: Int { state.withLock { $0.looks } }
        var cannotListen: Int { state.withLock { $0.cannotListen } }
        var port: Int? { state.withLock { $0.port } }

        func listen(_ address: ListenAddress, pause: Duration = .seconds(2)) -> Task<Void, Never> {
            let waker = WebhookWaker(
                settings: .init(address, target: "/wake"), fetch: { self.state.withLock { $0.looks += 1 } },
                clock: .system,
                notice: { notice in
                    self.state.withLock { state in
                        if case .listens(let address) = notice { state.port = address.port }
                        if case .cannotListen = notice { state.cannotListen += 1 }
                    }
                }, pause: pause, retry: .milliseconds(10))
            return Task { await waker.run() }
        }

        func wait(until isDone: (World) -> Bool) async throws {
            while !isDone(self) { try await Task.sleep(for: .milliseconds(5)) }
        }

        /// Posts all bodies at once; returns the statuses of the answers.
        func post(_ url: String, _ bodies: [[UInt8]]) async throws -> [Int] {
            var settings = HTTPExchange.Settings()
            settings.allowsPlainHTTP = true
            return try await HTTPExchange.withExchange(settings) { exchange in
                await withTaskGroup(of: Int?.self) { group in
                    for body in bodies {
                        group.addTask { try? await exchange.exchange(body, with: url, as: "application/json").status }
                    }
                    return await group.reduce(into: []) { if let status = $1 { $0.append(status) } }
                }
            }
        }

        func stop() async {
            task?.cancel()
            await task?.value
        }
    }
}
