import Encoding

/// The version that `--version`, records and reports carry.
enum ProductVersion {
    static let text = "0.1.0"
    /// The day on which it was made: no date before it is right.
    static let made = Timestamp(seconds: 1_793_491_200)  // 2026-11-01
}
