import Aries
import Encoding
import HTTPTransport

/// Looks for messages when an agency posts that it has one, at once and then at most once in a pause: whoever finds the address and
/// posts without end makes the kiosk ask the agency no more often than that.
struct WebhookWaker: Sendable {
    /// Where to listen.
    var settings: WebhookReceiver.Settings
    /// Looks for messages.
    var fetch: @Sendable () async -> Void
    /// The clock.
    var clock: AgentClock
    /// Told when listening begins and when it is not possible; must not block.
    var notice: @Sendable (MailboxNotice) -> Void
    /// Between two looks; a post within it is looked after when it is over.
    var pause: Duration
    /// Between two attempts to listen.
    var retry = Duration.seconds(10)

    /// Listens until the task is cancelled.
    func run() async {
        let (calls, call) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask {
                await listen { body in
                    // Nobody signs it: that it came is all it says.
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
                try await WebhookReceiver(settings, take: take).run { notice(.listens($0)) }
                told = nil
            } catch {
                if told != error { notice(.cannotListen(settings.address, error)) }
                told = error
            }
            await sleep(retry)
        }
    }

    private func sleep(_ time: Duration) async { await clock.sleep(clock.now().advanced(by: time)) }
}
