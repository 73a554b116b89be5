import Encoding

/// A sleep of an actor that others can end.
///
/// Only for use from inside that actor, one sleep at a time.
final class Nap {
    private var sleeper: Task<Void, Never>?
    private var isWoken = false

    /// Ends the present sleep, or the next one at once.
    func end() {
        isWoken = true
        sleeper?.cancel()
    }

    /// Sleeps until `deadline`, an hour when that is nil, or until it is ended or the task cancelled.
    func sleep(until deadline: Instant?, _ clock: AgentClock, isolation: isolated (any Actor)? = #isolation) async {
        guard !isWoken else {
            isWoken = false
            return
        }
        let until = deadline ?? clock.now().advanced(by: .seconds(3600))
        let sleeper = Task { await clock.sleep(until) }
        self.sleeper = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
        self.sleeper = nil
        isWoken = false
    }
}
