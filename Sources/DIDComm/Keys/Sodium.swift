import CSodium

/// libsodium, which this module uses.
enum Sodium {
    /// Whether libsodium has been set up (`sodium_init`, once for the process and safe from any thread).
    static let isReady: Bool = sodium_init() >= 0
}
