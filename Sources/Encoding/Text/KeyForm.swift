/// A key of a file that people write, and its permitted values. The reference pages are generated from these
/// forms.
package struct KeyForm: Hashable, Sendable {
    /// The key, preceded by the names of its sections.
    package let key: String
    /// The permitted values, in words, with their limits.
    package let form: String
    /// The default value as JSON, used when the key is left out; nil: the key is required, or its default is
    /// not documented.
    package let standard: String?

    /// Creates the form of a key from its permitted values.
    package init(_ key: String, _ form: String, standard: String? = nil) {
        (self.key, self.form, self.standard) = (key, form, standard)
    }
}
