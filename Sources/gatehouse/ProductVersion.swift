/// The version that `--version`, records and reports carry.
enum ProductVersion {
    static let text = "0.1.0"
}
