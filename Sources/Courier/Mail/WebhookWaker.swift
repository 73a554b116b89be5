import Clocks
import Encoding
import HTTPTransport
import Mailboxes

/// Fetches messages when an agency posts the notification of a waiting message: at once, and then at most once per
/// pause. An attacker who finds the gate's webhook and posts without end therefore causes only that many requests to
/// the agency.
struct WebhookWaker: Sendable {
    /// Receives posts until the task is cancelled. Passes each body to `take`, which returns whether the body is a
    /// notification. Calls `isListening` as soon as posts can arrive.
    typealias Receive =
        @Sendable (
            _ settings: WebhookReceiver.Settings, _ take: @escaping @Sendable ([UInt8]) -> Bool,
            _ isListening: @escaping @Sendable (ListenAddress) -> Void
        ) async throws(ListenFailure) -> Void

    /// The address at which the gate listens for the webhook.
    var settings: WebhookReceiver.Settings
    /// Fetches the waiting messages.
    var fetch: @Sendable () async -> Void
    var clock: Clock
    /// Receives a notice when listening begins or fails. The closure must not block.
    var notice: @Sendable (MailboxNotice) -> Void
    /// The minimum time between two fetches. A post during the pause leads to a fetch after it.
    var pause: Duration
    /// The time between two attempts to listen.
    var retry = Duration.seconds(10)
    /// Receives the posts. Tests substitute a simulation for the server.
    var receive: Receive = { settings, take, isListening throws(ListenFailure) in
        try await WebhookReceiver(settings, take: take).run(isListening: isListening)
    }

    /// Receives posts and fetches messages until the task is cancelled.
    func run() async {
        let (calls, call) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask {
                await listen { body in
                    // The post is not signed. It is only used as a hint that a message may wait.
                    guard (try? AgencyWakeUp(body)) != nil else { return false }
                    call.yield()
                    return true
                }
            }
            for await _ in calls {
                await fetch()
                await sleep(pause)
            }
        }
    }

    private func listen(_ take: @escaping @Sendable ([UInt8]) -> Bool) async {
        var told: ListenFailure?
        while !Task.isCancelled {
            do throws(ListenFailure) {
                try await receive(settings, take) { [notice] in notice(.listens($0)) }
                told = nil
            } catch {
                if told != error { notice(.cannotListen(settings.address, error)) }
                told = error
            }
            await sleep(retry)
        }
    }

    private func sleep(_ time: Duration) async { try? await clock.sleep(for: time) }
}
