import CSodium

/// The initialisation of libsodium.
enum Sodium {
    /// Whether libsodium is initialised. The first access calls `sodium_init`, from any thread.
    static let isReady: Bool = sodium_init() >= 0
}
