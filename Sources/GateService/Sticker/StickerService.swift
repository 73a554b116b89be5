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

    /// Creates a service for that code.
    package init(sticker: Sticker?, gatekeeper: Gatekeeper) {
        (self.sticker, self.gatekeeper) = (sticker, gatekeeper)
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if let isInForce = sticker?.turn() { await gatekeeper.takePrintedKey(isInForce: isInForce) }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }
}
