import Kiosk
import ServiceLifecycle

/// Takes the printed key out of force when its last day is over, when the clock is not trusted or when its
/// book is full, and puts it in force again when the clock is trusted.
struct StickerService: Service {
    /// The time between two checks.
    static let pause: Duration = .seconds(2)

    /// The printed code; nil: none, and the service does nothing.
    let sticker: Sticker?
    let gatekeeper: Gatekeeper

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                if let isInForce = sticker?.turn() { await gatekeeper.takePrintedKey(isInForce: isInForce) }
                try? await Task.sleep(for: Self.pause)
            }
        }
    }
}
