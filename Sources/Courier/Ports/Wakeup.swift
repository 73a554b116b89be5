import Clocks
import Encoding
import Synchronization

/// A pause of a service that another task can end early. Only one task at a time may pause.
final class Wakeup: Sendable {
    private enum State {
        case awake
        /// ``end()`` was called while no task was pausing, so the next pause ends at once.
        case woken
        case asleep(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.awake)

    /// Ends the present pause. If no task is pausing, the next pause ends at once.
    func end() {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .asleep(let sleeper) = state else {
                state = .woken
                return nil
            }
            state = .awake
            return sleeper
        }
        sleeper?.resume()
    }

    /// Pauses until `deadline` (nil: for one hour), until ``end()`` is called, or until the task is cancelled.
    func sleep(until deadline: Instant?, _ clock: Clock) async {
        guard !takeCall() else { return }
        await withTaskCancellationHandler {
            await clock.alarm(at: deadline ?? clock.now().advanced(by: .seconds(3600)), ring: { self.end() }) {
                await rest()
            }
        } onCancel: {
            end()
        }
    }

    private func takeCall() -> Bool {
        state.withLock { state in
            guard case .woken = state else { return false }
            state = .awake
            return true
        }
    }

    /// Waits for the next call of ``end()``.
    private func rest() async {
        await withCheckedContinuation { continuation in
            let isWoken = state.withLock { state in
                if case .woken = state {
                    state = .awake
                    return true
                }
                state = .asleep(continuation)
                return false
            }
            if isWoken { continuation.resume() }
        }
    }
}
