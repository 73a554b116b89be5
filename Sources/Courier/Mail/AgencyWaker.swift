import Clocks
import Encoding
import HTTPTransport
import Mailboxes

/// Fetches messages as soon as an agency reports a waiting message. The report is the answer to a long poll, a
/// request that the agency answers only when a message arrives. Because of it, even a gate that cannot be reached
/// from outside gets a message at once, and not at the next regular fetch.
struct AgencyWaker: Sendable {
    /// Sends the long poll to the agency.
    var exchange: any MessageExchange
    /// Returns the long poll to send; nil if the gate has no agent at the agency yet.
    var question: @Sendable () async -> AgencyLongPoll?
    /// Fetches the waiting messages.
    var fetch: @Sendable () async -> Void
    var clock: Clock
    /// The pause between two long polls, independent of their answers.
    var pause = Duration.seconds(1)
    /// The pause after a failed long poll. The regular fetches continue.
    var retry = Duration.seconds(60)

    /// Sends long polls until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isUseful = await ask()
            try? await clock.sleep(for: isUseful ? pause : retry)
        }
    }

    /// Sends one long poll. Returns false if it failed. Messages are fetched before the agency's report about them is
    /// acknowledged: if the program ends in between, the regular fetch gets them.
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
