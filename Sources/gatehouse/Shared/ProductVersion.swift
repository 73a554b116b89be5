import Encoding

/// The version of this program, as it is in `--version`, records and reports.
enum ProductVersion {
    static let text = "0.1.0"
    /// The day on which this version was made. A clock that shows an earlier date is wrong.
    static let made = Timestamp(seconds: 1_793_491_200)  // 2026-11-01
}
