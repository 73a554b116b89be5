import Clocks
import GateService
import Kiosk
import ServiceLifecycle

/// Takes the key of the printed code out of force when its last day is over, when the clock is not trusted or
/// when the log of used sessions is full. Puts the key in force again when the clock is trusted.
struct StickerService: Service {
    /// The time between two checks.
    static let pause: Duration = .seconds(2)

    let code: PrintedCode
    let gatekeeper: Gatekeeper
    private let times: Periodic

    /// Creates a service for that code. `clock` measures the time between two checks.
    init(code: PrintedCode, gatekeeper: Gatekeeper, clock: Clock) {
        (self.code, self.gatekeeper) = (code, gatekeeper)
        times = Periodic(every: Self.pause, by: clock)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await times.run { _ in
                if let isInForce = code.turn() { await gatekeeper.takePrintedKey(isInForce: isInForce) }
            }
        }
    }
}
