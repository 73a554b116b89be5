import Aries
import Clocks
import DIDComm
import Encoding
import HTTPTransport
import Simulation
import Store
import TestKit
import Testing
import VirtualKit

@testable import Courier

/// The messages to a peer whose connection is deleted, and the link's state.
@Suite struct FarewellTests {
    private static let configuration = AgentConnection.Configuration(label: "kiosk")

    /// Returns a connection to that agent as it is stored, with a complete or an open handshake.
    private func stored(_ agent: VirtualAgentExchange, isConnected: Bool = true, by clock: Clock) async throws -> JSON {
        let memory = Memory()
        let link = try AgentLinks.new(
            try Invitation(await agent.invitation), Self.configuration,
            AgentLink.Dependencies(exchange: agent, store: memory, clock: clock))
        if isConnected { try #require(try await link.connect(by: clock)) } else { try await link.keep() }
        return try JSON.parse(try #require(memory.kept.first?.snapshot))
    }

    /// Sends the notice within five seconds. Returns whether it was accepted, and how long that took.
    private func farewell(
        _ snapshot: JSON, _ exchange: any MessageExchange, by clock: Clock
    ) async throws -> (isAccepted: Bool, time: Duration) {
        let connection = try AgentConnection(
            restoring: snapshot, configuration: Self.configuration, random: try AgentLinks.randomStream())
        let began = clock.now()
        let isAccepted = await HangupSender.send(over: connection, by: exchange, clock: clock, within: .seconds(5))
        return (isAccepted, began.duration(to: clock.now()))
    }

    @Test func thePeerGetsOneNotice() throws {
        try VirtualTime.run { time in
            let agent = try VirtualAgentExchange(clock: time.clock)
            let snapshot = try await stored(agent, by: time.clock)
            #expect(try await farewell(snapshot, agent, by: time.clock) == (true, .zero))
            #expect(
                await agent.others.compactMap { $0["@type"]?.string } == [
                    "https://didcomm.org/didexchange/1.1/complete", "https://didcomm.org/did-rotate/1.0/hangup",
                ])
        }
    }

    @Test func anAgentThatIsAwayOrSilentIsNotWaitedFor() throws {
        try VirtualTime.run { time in
            let agent = try VirtualAgentExchange(clock: time.clock)
            let snapshot = try await stored(agent, by: time.clock)
            #expect(try await farewell(snapshot, HangingExchange(), by: time.clock) == (false, .seconds(5)))
            await agent.setUp(false)
            #expect(try await farewell(snapshot, agent, by: time.clock) == (false, .zero))
            await agent.setUp(true)
            let posts = await agent.posts
            let open = try await stored(agent, isConnected: false, by: time.clock)
            #expect(try await farewell(open, agent, by: time.clock) == (false, .zero), "no peer is known")
            #expect(await agent.posts == posts)
        }
    }

    @Test func aLinkNotesWhatItSees() throws {
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
