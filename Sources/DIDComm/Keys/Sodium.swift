import CSodium

/// The set-up of libsodium.
enum Sodium {
    /// Whether libsodium is set up (`sodium_init`, once for the process and safe from any thread).
    static let isReady: Bool = sodium_init() >= 0
}
