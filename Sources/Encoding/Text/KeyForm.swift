/// A key of a file that people write, and what it takes: what the pages of reference are made of.
package struct KeyForm: Hashable, Sendable {
    /// The key, with the names of the sections that it is in.
    package let key: String
    /// What it takes, in words, with bounds.
    package let form: String
    /// The value that is in force where the key is left out, as JSON; nil: the key is required, or nobody says.
    package let standard: String?

    /// A key that takes that.
    package init(_ key: String, _ form: String, standard: String? = nil) {
        (self.key, self.form, self.standard) = (key, form, standard)
    }
}
