import Aries
import DIDComm
import Encoding
import HTTPTransport
import Mailboxes
import Simulation
import TestKit
import VirtualKit

/// A network with an agency, and an agent that sends every message through the agency.
actor AgencyNetwork: MessageExchange {
    private var agency: VirtualAgency
    private var agent: VirtualAgent
    private(set) var mediaTypes: Set<String> = []
    private var answersLongPolls = true
    private var takenWakeUps = 0

    init(_ dialect: AgencyDialect, sponsor: Verkey? = nil) throws {
        guard let random = RandomStream(seed: .random()), let other = RandomStream(seed: .random()),
            let agency = VirtualAgency(
                dialect, url: "http://agency.test", seed: .random(), sponsor: sponsor, random: random),
            let agent = VirtualAgent(endpoint: "http://agent.test/", random: other)
        else { throw CancellationError() }
        self.agency = agency
        self.agent = agent
        self.agent.answersByMailbox = true
    }

    func post(_ body: [UInt8], to url: String) async throws(ExchangeError) -> [UInt8] {
        guard Text(url) == agent.endpoint else { throw .unreachable }
        defer { carry() }
        switch agent.handle(body, at: .zero) {
        case .accepted(let answer): return answer
        case .unreachable: throw .unreachable
        case .lost: throw .uncertain
        case .rejected: throw .refused(status: 400)
        }
    }

    func exchange(
        _ body: [UInt8]?, with url: String, as mediaType: String
    ) async throws(ExchangeError) -> MessageAnswer {
        if body != nil, url.hasSuffix("/agency/msg") { mediaTypes.insert(mediaType) }
        guard Text(url).hasPrefix(agency.url) else { throw .unreachable }
        guard answersLongPolls || !url.contains("/notifications") else { throw .refused(status: 404) }
        let answer: VirtualAgency.Answer =
            if url.hasSuffix("/notifications/ack") {
                agency.acknowledge(body ?? [])
            } else if url.contains("/notifications?") {
                agency.notifications()
            } else {
                body.map { agency.handle($0) } ?? agency.information()
            }
        guard let status = answer.status else { throw .uncertain }
        return MessageAnswer(status: status, body: answer.body)
    }

    /// Carries the agent's posts to the agency.
    private func carry() {
        for post in agent.posts { _ = agency.handle(post.body) }
        agent.posts = []
    }

    func send(_ content: Text) {
        agent.send(content: content)
        carry()
    }

    /// Makes the agent ask every kiosk whether the gate is open.
    func ask() {
        agent.send(
            Message.make(
                MessageType(.didcomm, Question.name, "question"), id: "question-1",
                [
                    .init("question_text", "open?"),
                    .init("valid_responses", [["text": "yes"], ["text": "no"]]),
                ]))
        carry()
    }

    /// Makes the agent answer its invitation once.
    func useOnce() { agent.isSingleUse = true }

    /// The number of answers to that question.
    var answers: Int { agent.others.count { $0["~thread"]?["thid"] == "question-1" } }

    /// The number of requests for messages.
    var looks: Int { agency.log.count { $0.hasPrefix("GET_MSGS") } }
    func withAgency<Value: Sendable>(_ body: @Sendable (inout VirtualAgency) -> Value) -> Value { body(&agency) }
    /// Stops the agency from answering long polls.
    func endLongPolls() { answersLongPolls = false }
    /// Returns the agency's posts to webhooks since the last call.
    func takeWakeUps() -> [(url: Text, body: [UInt8])] {
        defer { takenWakeUps = agency.wakeUps.count }
        return Array(agency.wakeUps.dropFirst(takenWakeUps))
    }
    var party: AgencyParty { agency.party }
    var invitation: JSON { agent.invitation }
    var received: Int { agent.received.count }
    var repetitions: Int { agent.repetitions }
}

/// Runs `body` with the network of that agency, and with everything else that outlives a kiosk in it;
/// `sponsor`: the key whose tokens the agency requires.
func withAgency(
    _ dialect: AgencyDialect, sponsor: Verkey? = nil,
    _ body: (MailKiosk.World, AgencyNetwork, AgencySettings) async throws -> Void
) async throws {
    try await Leftovers.ended { leftovers in
        let network = try AgencyNetwork(dialect, sponsor: sponsor)
        let settings = await agencySettings(dialect, network, needsToken: sponsor != nil)
        try await body(try MailKiosk.World("agency", await network.invitation, network, leftovers), network, settings)
    }
}

/// Returns settings for the agency of `network`, which the kiosk polls every 20 ms.
func agencySettings(
    _ dialect: AgencyDialect, _ network: AgencyNetwork, needsToken: Bool = false
) async -> AgencySettings {
    var settings = AgencySettings(
        dialect, url: "http://agency.test", agency: await network.party, needsToken: needsToken)
    settings.limits.poll = .milliseconds(20)
    (settings.limits.firstRetry, settings.limits.refusedRetry) = (.milliseconds(5), .milliseconds(50))
    settings.limits.longestRetry = .milliseconds(50)
    return settings
}
