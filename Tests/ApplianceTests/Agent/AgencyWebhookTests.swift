import Clocks
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Kiosk
import Mailboxes
import Reasons
import Synchronization
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// An agency that posts when it has a message, over real sockets and with a real database: the kiosk then polls at
/// once, long before the next regular poll.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct AgencyWebhookTests {
    private let free: ListenAddress

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
}

/// When posts of an agency lead to fetches, and when the gate listens for them.
@Suite struct WebhookWakerTests {
    private static let post = Array(#"{"msgUid":"u","pwDid":"d"}"#.utf8)

    /// A waker, its place in the network, and the fetches that it causes.
    private final class World: Sendable {
        private struct State {
            var isUsedByOthers = false
            var take: (@Sendable ([UInt8]) -> Bool)?
            var fetches = 0
            var notices: [MailboxNotice] = []
        }

        private let clock: Clock
        private let state = Mutex(State())

        init(_ time: VirtualTime) { clock = time.clock }

        var fetches: Int { state.withLock { $0.fetches } }
        var notices: [MailboxNotice] { state.withLock { $0.notices } }
        func setUsedByOthers(_ isUsed: Bool) { state.withLock { $0.isUsedByOthers = isUsed } }

        /// Posts a body. Returns whether it was understood; nil if nothing listens.
        func post(_ body: [UInt8]) -> Bool? { state.withLock { $0.take }?(body) }

        func pass(_ time: Duration) async throws { try await clock.sleep(for: time) }

        func run(_ address: ListenAddress) async {
            await WebhookWaker(
                settings: .init(address, target: "/wake"), fetch: { self.state.withLock { $0.fetches += 1 } },
                clock: clock, notice: { notice in self.state.withLock { $0.notices.append(notice) } },
                pause: .seconds(2),
                receive: { settings, take, isListening throws(ListenFailure) in
                    guard !self.state.withLock({ $0.isUsedByOthers }) else { throw .inUse }
                    self.state.withLock { $0.take = take }
                    isListening(settings.address)
                    try? await self.clock.sleep(for: .seconds(1_000_000))
                    self.state.withLock { $0.take = nil }
                }
            ).run()
        }
    }

    private func play(_ body: @escaping @Sendable (World, ListenAddress) async throws -> Void) throws {
        let address = try #require(ListenAddress("127.0.0.1:8095"))
        try VirtualTime.run { time in try await body(World(time), address) }
    }

    @Test func itListensAsSoonAsItCan() throws {
        try play { world, address in
            world.setUsedByOthers(true)
            async let _ = world.run(address)
            try await world.pass(.seconds(3600))
            #expect(world.notices == [.cannotListen(address, .inUse)], "reported once")
            world.setUsedByOthers(false)
            try await world.pass(.seconds(11))
            #expect(world.notices == [.cannotListen(address, .inUse), .listens(address)])
        }
    }

    /// A stranger who finds the address causes one fetch at once, and then one in each pause.
    @Test func manyPostsCauseOneFetchInEachPause() throws {
        try play { world, address in
            async let _ = world.run(address)
            try await world.pass(.seconds(1))
            for _ in 0..<200 { #expect(world.post(Self.post) == true) }
            try await world.pass(.milliseconds(1))
            #expect(world.fetches == 1)
            for _ in 0..<600 {
                #expect(world.post(Self.post) == true)
                try await world.pass(.milliseconds(100))
            }
            #expect((30...31).contains(world.fetches), "in a minute: \(world.fetches)")
        }
    }

    @Test func aPostDuringThePauseCausesAFetchAfterIt() throws {
        try play { world, address in
            async let _ = world.run(address)
            try await world.pass(.seconds(1))
            #expect(world.post(Self.post) == true)
            try await world.pass(.seconds(1))
            #expect(world.fetches == 1)
            // Posts that arrive before a fetch begins share that fetch.
            for _ in 0..<2 { #expect(world.post(Self.post) == true) }
            try await world.pass(.milliseconds(900))
            #expect(world.fetches == 1)
            try await world.pass(.milliseconds(200))
            #expect(world.fetches == 2)
            // A post without a usable body causes no fetch.
            for body in ["", "{}", "hello"] { #expect(world.post(Array(body.utf8)) == false) }
            try await world.pass(.seconds(60))
            #expect(world.fetches == 2)
        }
    }

    @Test func theTimesOfAService() {
        let memory = Memory()
        let dependencies = MailboxManager.Dependencies(
            exchange: HangingExchange(), store: memory,
            settings: Mediator.Configuration(connection: .impatient, allowsPlainHTTP: false),
            invitation: { _ in throw CancellationError() }, refused: memory, clock: .system, spawner: .system,
            notice: { _ in })
        #expect(dependencies.webhookPause == .seconds(2) && dependencies.pause == .seconds(10))
    }

    @Test func itIsAFaultOfItsOwn() throws {
        let address = try #require(ListenAddress("127.0.0.1:0"))
        var faults = AgentFaults()
        let change = faults.take(.cannotListen(address, .inUse))
        #expect(change.added == .agentWebhook)
        #expect(change.reports.map(\.code) == [.agentWebhook] && change.reports.allSatisfy(\.isPresent))
        #expect(faults.take(.serves) == AgentFaults.Change())
        #expect(faults.take(.listens(address)) == AgentFaults.Change(reports: [.over(.agentWebhook)]))
        #expect(faults.of(MailboxManagerCore.destination).isEmpty)
        #expect(faults.take(.tokenFailed(.empty("/token"))).added == .agentMailbox)
    }
}
