import Clocks
import GateService
import Kiosk
import ServiceLifecycle

/// Informs the gatekeeper when the key of the printed code loses its validity or becomes valid again. The key is not
/// valid after its last day, while the clock is not trusted, and when the log of used sessions is full.
struct StickerService: Service {
    /// The time between two checks.
    static let pause: Duration = .seconds(2)

    let code: PrintedCode
    let gatekeeper: Gatekeeper
    private let times: Periodic

    /// Creates a service for the printed code `code`. `clock` measures the time between two checks.
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
