/// The sizes that CONTRIBUTING.md allows.
enum HouseLimits {
    /// The characters of a line, comments included.
    static let columns = 120
    /// The lines of a function, from its name to its last brace.
    static let functionLines = 70
    /// The lines of a file.
    static let fileLines = 400
}
