import Kiosk
import ServiceLifecycle

/// Takes the printed key out of force when its last day is over, when the clock is not trusted and when its book is full; and puts it
/// in force when the clock is trusted.
struct StickerService: Service {
    /// Between two looks.
    static let pause: Duration = .seconds(2)

    /// Nil: there is no printed code, and nothing to do.
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
