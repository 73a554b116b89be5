import Clocks
import Encoding
import HTTPTransport
import Mailboxes

/// Fetches messages as soon as an agency reports that one arrived. Uses a long poll, if the agency supports
/// long polls. A gate that cannot be reached from outside then gets a message at once and does not wait for
/// the next regular fetch.
struct AgencyWaker: Sendable {
    /// Sends the long poll to the agency.
    var exchange: any MessageExchange
    /// Returns the long poll to send; nil while the gate has no agent at the agency.
    var question: @Sendable () async -> AgencyLongPoll?
    /// Fetches the waiting messages.
    var fetch: @Sendable () async -> Void
    var clock: Clock
    /// The pause between two long polls, whatever the answers are.
    var pause = Duration.seconds(1)
    /// The pause after an answer that is of no use. The regular fetches continue.
    var retry = Duration.seconds(60)

    /// Asks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isUseful = await ask()
            try? await clock.sleep(for: isUseful ? pause : retry)
        }
    }

    /// Asks one question. Returns false if it was of no use. Messages are fetched before the report about
    /// them is acknowledged. After a crash in between, the regular fetch gets them.
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
