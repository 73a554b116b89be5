package import Clocks
import Kiosk
import ServiceLifecycle

/// Takes the key of the printed code out of force when its last day is over, when the clock is not trusted or
/// when the log of used sessions is full. Puts the key in force again when the clock is trusted.
package struct StickerService: Service {
    /// The time between two checks.
    static let pause: Duration = .seconds(2)

    /// The printed code; nil: the gate has no printed code, and the service does nothing.
    let sticker: Sticker?
    let gatekeeper: Gatekeeper
    private let times: Periodic

    /// Creates a service for that code. `clock` measures the time between two checks.
    package init(sticker: Sticker?, gatekeeper: Gatekeeper, clock: Clock) {
        (self.sticker, self.gatekeeper) = (sticker, gatekeeper)
        times = Periodic(every: Self.pause, by: clock)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await times.run { _ in
                if let isInForce = sticker?.turn() { await gatekeeper.takePrintedKey(isInForce: isInForce) }
            }
        }
    }
}
