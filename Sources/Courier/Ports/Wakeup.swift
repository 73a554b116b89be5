import Clocks
import Encoding

/// A sleep of an actor that can be ended early.
///
/// Used only from inside that actor, for one sleep at a time.
final class Wakeup {
    private var sleeper: Task<Void, Never>?
    private var isWoken = false

    /// Ends the present sleep. If the actor is not asleep, the next sleep ends at once.
    func end() {
        isWoken = true
        sleeper?.cancel()
    }

    /// Sleeps until `deadline` (nil: for one hour), until ``end()`` is called, or until the task is
    /// cancelled.
    func sleep(until deadline: Instant?, _ clock: Clock, isolation: isolated (any Actor)? = #isolation) async {
        guard !isWoken else {
            isWoken = false
            return
        }
        let until = deadline ?? clock.now().advanced(by: .seconds(3600))
        let sleeper = Task { do { try await clock.sleep(until: until) } catch {} }
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
