import Aries
import Encoding
import HTTPTransport

/// Looks for messages as soon as an agency has one, where it can be asked to say so. A kiosk that nobody can reach hears of a message
/// at once, and not with the next regular look.
struct AgencyWaker: Sendable {
    /// Asks the agency.
    var exchange: any MessageExchange
    /// The question; nil as long as there is no agent.
    var question: @Sendable () async -> AgencyLongPoll?
    /// Looks for messages.
    var fetch: @Sendable () async -> Void
    /// The clock.
    var clock: AgentClock
    /// Between two questions, whatever the answers are.
    var pause = Duration.seconds(1)
    /// After an answer that is of no use: the regular looks go on.
    var retry = Duration.seconds(60)

    /// Asks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isUseful = await ask()
            await clock.sleep(clock.now().advanced(by: isUseful ? pause : retry))
        }
    }

    /// One question; false when it was of no use. What arrived is fetched first and acknowledged then: the other way round a crash in
    /// between would leave it to the regular look.
    private func ask() async -> Bool {
        guard let question = await question() else { return true }
        do {
            let answer = try await exchange.exchange(nil, with: question.url.string, as: "")
            guard answer.status == 200 else { return false }
            guard let time = try AgencyLongPoll.unacknowledged(in: answer.body) else { return true }
            await fetch()
            let body = AgencyLongPoll.acknowledgement(of: time)
            return try await exchange.exchange(body, with: question.acknowledgementURL.string, as: "application/json")
                .status == 200
        } catch {
            return false
        }
    }
}
