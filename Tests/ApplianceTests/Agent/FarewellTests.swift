import Aries
import Clocks
import DIDComm
import Encoding
import HTTPTransport
import Simulation
import Store
import TestKit
import Testing

@testable import Courier

/// The messages to a peer whose connection is deleted, and the link's state.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct FarewellTests {
    /// Returns a connection to that agent as it is stored, with a complete or an open handshake.
    private func stored(_ exchange: VirtualAgentExchange, isConnected: Bool = true) async throws -> JSON {
        let memory = Memory()
        let link = try AgentLinks.new(
            try Invitation(await exchange.invitation), AgentConnection.Configuration(label: "kiosk"),
            AgentLink.Dependencies(exchange: exchange, store: memory, clock: .system))
        if isConnected { try #require(await link.connect(within: .seconds(60))) } else { try await link.keep() }
        return try JSON.parse(try #require(memory.kept.first?.snapshot))
    }

    private func farewell(_ snapshot: JSON, _ exchange: any MessageExchange, _ limit: Duration) async throws -> Bool {
        let connection = try AgentConnection(
            restoring: snapshot, configuration: AgentConnection.Configuration(label: "kiosk"),
            random: try AgentLinks.randomStream())
        return await HangupSender.send(over: connection, by: exchange, clock: .system, within: limit)
    }

    @Test func thePeerIsNotifiedOnce() async throws {
        let exchange = try VirtualAgentExchange()
        let snapshot = try await stored(exchange)
        #expect(try await farewell(snapshot, exchange, .seconds(60)))
        #expect(
            await exchange.others.compactMap { $0["@type"]?.string } == [
                "https://didcomm.org/didexchange/1.1/complete", "https://didcomm.org/did-rotate/1.0/hangup",
            ])
    }

    @Test func anAgentThatIsAwayOrSilentIsNotWaitedFor() async throws {
        let exchange = try VirtualAgentExchange()
        let snapshot = try await stored(exchange)
        #expect(try await !farewell(snapshot, HangingExchange(), .milliseconds(50)))
        await exchange.setUp(false)
        #expect(try await !farewell(snapshot, exchange, .seconds(60)))
        await exchange.setUp(true)
        let posts = await exchange.posts
        #expect(try await !farewell(stored(exchange, isConnected: false), exchange, .seconds(60)), "nobody to tell")
        #expect(await exchange.posts == posts)
    }

    @Test(.tags(.exact)) func aLinkNotesWhatItSees() throws {
        let notes = LinkStatus(.system)
        notes.take(.unreachable(.unreachable))
        #expect(notes.problem?.text.contains("not reachable") == true && notes.answered == nil)
        notes.take(.reachable)
        #expect(notes.problem == nil)
        for (notice, words) in [
            (.handshakeRefused(reason: "request_not_accepted"), "multi-use"), (.unanswered, "multi-use"),
            (.silent, "new invitation"), (.ended, "new invitation"),
        ] as [(AgentNotice, String)] {
            notes.take(notice)
            #expect(notes.problem?.remedy?.contains(words) == true, "\(notice)")
            notes.take(.reachable)
            #expect(notes.problem != nil, "a server that takes messages is no sign of life: \(notice)")
        }
        let number = notes.ask()
        #expect(notes.ping == LinkStatus.Ping(number: number, took: nil))
        notes.take(.confirmed(position: 1))
        #expect(notes.ping?.took == nil)
        notes.take(.alive)
        #expect(notes.ping?.took != nil && notes.problem == nil && notes.answered != nil)
        #expect(notes.ask() == number + 1 && notes.ping?.took == nil)
    }
}
