import Aries
import DIDComm
import Encoding
import Mailboxes
import Testing
import VirtualKit

/// Agents that an agency creates only for a sponsor's token.
@Suite struct AgencyTokenTests {
    private func sponsor() throws -> KeyPair { try #require(KeyPair(seed: Secret([UInt8](repeating: 4, count: 32)))) }

    @Test func aTokenIsAskedForAndUsedOnce() throws {
        let sponsor = try sponsor()
        let harness = try AgencyHarness(.evernym, sponsor: sponsor)
        harness.start()
        harness.open("a")
        harness.run(for: .seconds(3600))
        #expect(harness.failures == [.needsToken])
        #expect(harness.connections["a"]?.failures == [.needsToken])
        #expect(harness.agency.log == [])
        harness.feed(.token(VirtualAgency.token(by: sponsor, nonce: "1")))
        #expect(harness.connections["a"]?.address != nil)
        #expect(harness.agency.agents == 1)
        #expect(harness.agency.log.first == "CREATE_AGENT")
        harness.feed(.token(VirtualAgency.token(by: sponsor, nonce: "2")))  // no longer needed
        harness.restart()
        #expect(harness.agency.agents == 1)
    }

    @Test func aNeededTokenIsRecognisedWithoutAnAnnouncement() throws {
        let sponsor = try sponsor()
        let harness = try AgencyHarness(.evernym, sponsor: sponsor) { $0.needsToken = false }
        harness.start()
        #expect(harness.failures == [.needsToken])
        harness.feed(.token(VirtualAgency.token(by: sponsor, nonce: "1")))
        #expect(harness.agent != nil)
    }

    @Test func tokensThatAreNoGood() throws {
        let sponsor = try sponsor()
        let stranger = try #require(KeyPair(seed: Secret([UInt8](repeating: 5, count: 32))))
        let harness = try AgencyHarness(.evernym, sponsor: sponsor)
        harness.start()
        var altered = try #require(VirtualAgency.token(by: sponsor, nonce: "1").object)
        altered["nonce"] = "2"
        for token in [nil, [:], .object(altered)] as [JSON] { harness.feed(.token(token)) }
        #expect(harness.agency.log == [])  // recognised as wrong without a request
        #expect(harness.failures == [.needsToken, .needsToken, .needsToken, .needsToken])
        harness.feed(.token(VirtualAgency.token(by: stranger, nonce: "1")))
        harness.agency.faults.expiresTokens = true
        let old = VirtualAgency.token(by: sponsor, nonce: "old")
        harness.feed(.token(old))
        #expect(harness.failures.count == 6)
        #expect(harness.agency.log == ["CREATE_AGENT", "CREATE_AGENT"])
        harness.agency.faults.expiresTokens = false
        harness.feed(.token(old))  // the same file is read again
        harness.restart()
        harness.feed(.token(old))
        #expect(harness.agency.log.count == 2)
        #expect(harness.agency.agents == 0)
        harness.feed(.token(VirtualAgency.token(by: sponsor, nonce: "new")))
        #expect(harness.agency.agents == 1 && harness.agent != nil)
    }

    @Test func aLostAnswerCostsATokenAndNoMore() throws {
        let sponsor = try sponsor()
        let harness = try AgencyHarness(.evernym, sponsor: sponsor)
        harness.start()
        harness.open("a")
        harness.agency.faults.lostAnswers = 1
        harness.feed(.token(VirtualAgency.token(by: sponsor, nonce: "1")))
        harness.run(for: .seconds(3600))
        #expect(harness.failures == [.needsToken, .needsToken])  // the agency reports that the token was used
        #expect(harness.requests < 6)
        harness.feed(.token(VirtualAgency.token(by: sponsor, nonce: "2")))
        #expect(harness.connections["a"]?.address != nil)
        #expect(harness.agency.agents == 2)  // the answer about the first agent was lost
    }

    @Test func killedAtEveryStep() throws {
        let sponsor = try sponsor()
        func scenario(_ killAt: Int?) throws -> AgencyHarness {
            let harness = try AgencyHarness(.evernym, sponsor: sponsor)
            harness.killAt = killAt
            harness.start()
            harness.open("a")
            for nonce in ["1", "2", "3"] as [Text] where harness.agent == nil {
                harness.feed(.token(VirtualAgency.token(by: sponsor, nonce: nonce)))
                harness.run(for: .seconds(60))
            }
            harness.send("a1", to: "a")
            harness.run(for: .seconds(60))
            return harness
        }
        for step in 1...(try scenario(nil).steps) {
            let harness = try scenario(step)
            #expect(harness.broken == [], "\(step)")
            #expect(harness.connections["a"]?.durable == ["a1"], "\(step)")
            let loss = try #require(harness.atLoss)
            #expect(harness.agency.agents <= loss.agents + (loss.knewAgent ? 0 : 1), "\(step)")
            #expect(harness.agency.agents <= 2, "\(step)")
        }
    }
}
