import Aries
import Clocks
import DIDComm
import Encoding
import HTTPTransport
import Mailboxes
import Reasons
import Simulation
import Store
import Synchronization
import Testing
import VirtualKit

@testable import Courier

/// A mailbox whose mediator becomes silent: the gate raises a fault, long before the transport times out, and
/// clears it when the mediator answers again.
@Suite struct SilentMailboxTests {
    /// A connection that needs an address at the mailbox, and ignores everything that it receives.
    private final class Receiver: MailReceiver {
        let id: Text = "connection"
        func take(_ address: MailboxAddress, for key: Verkey) async {}
        func refuse(_ key: Verkey) async {}
        func take(_ message: MailboxMessage) async {}
    }

    /// The network in front of a mediator whose server can be silent.
    private final class Server: MessageExchange {
        let agent: VirtualAgentExchange
        private let clock: Clock
        private let silence = Mutex<AgentSilence?>(nil)

        init(hasPickup: Bool, _ clock: Clock) throws {
            (agent, self.clock) = (try VirtualAgentExchange(hasPickup: hasPickup, clock: clock), clock)
        }

        /// Makes the server silent in that way from now on; nil ends the silence.
        func fallSilent(_ silence: AgentSilence?) { self.silence.withLock { $0 = silence } }

        func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
            try await agent.post(body, to: url)
        }

        func exchange(
            _ body: [UInt8]?, with url: String, as mediaType: String
        ) async throws(ExchangeError) -> MessageAnswer {
            switch silence.withLock(\.self) {
            case nil:
                guard let body else { throw .forbidden }
                return MessageAnswer(status: 200, body: try await agent.post(body, to: url))
            case .takes:
                // The time limit of the transport.
                do { try await clock.sleep(for: .seconds(100)) } catch { throw .cancelled }
                throw .uncertain
            case .answersNothing: return MessageAnswer(status: 200, body: [])
            case .babbles: return MessageAnswer(status: 200, body: Array("{\"a\":1}".utf8))
            case .fails: return MessageAnswer(status: 503, body: [])
            }
        }
    }

    @Test(arguments: AgentSilence.allCases, [false, true])
    func itIsAFaultUntilTheMediatorAnswers(_ silence: AgentSilence, hasPickup: Bool) throws {
        try VirtualTime.run { time in
            let server = try Server(hasPickup: hasPickup, time.clock)
            let (memory, faults) = (Memory(), FaultBook())
            let invitation = await server.agent.invitation
            let mail = MailboxManager(
                .invitation("file"),
                MailboxManager.Dependencies(
                    exchange: server, store: memory,
                    settings: Mediator.Configuration(connection: .init(label: "kiosk"), allowsPlainHTTP: true),
                    invitation: { _ in try Invitation(invitation) }, refused: memory, clock: time.clock,
                    spawner: time.spawner, notice: { faults.take($0) }))
            async let _ = mail.run()
            let key = try #require(KeyPair(seed: .random()))
            await mail.open(Receiver(), key: key)
            try await time.clock.sleep(for: .seconds(60))
            #expect(memory.kept.first.map { Self.isRegistered($0.snapshot) } == true)
            for _ in 0..<2 {
                try await time.clock.sleep(for: .seconds(3600))
                #expect(!faults.isFaulty, "nothing is waited for")
                server.fallSilent(silence)
                try await time.clock.sleep(for: .seconds(60))
                #expect(faults.isFaulty)
                server.fallSilent(nil)
                try await time.clock.sleep(for: .seconds(600))
                #expect(!faults.isFaulty)
            }
        }
    }

    /// The faults of the mailbox, from its notices.
    private final class FaultBook: Sendable {
        private let faults = Mutex(AgentFaults())
        func take(_ notice: MailboxNotice) { faults.withLock { _ = $0.take(notice) } }
        var isFaulty: Bool { faults.withLock { $0.of(MailboxManagerCore.destination).contains(.agentMailbox) } }
    }

    private static func isRegistered(_ snapshot: [UInt8]) -> Bool {
        (try? JSON.parse(snapshot))?["address"] != nil
    }
}
