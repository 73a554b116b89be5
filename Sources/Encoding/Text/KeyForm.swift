/// A key of a file that people write, and its permitted values. The reference pages are generated from these forms.
package struct KeyForm: Hashable, Sendable {
    /// The key, preceded by the names of its sections.
    package let key: String
    /// The permitted values and their limits, in words.
    package let form: String
    /// The default value as JSON, used if the file lacks the key; nil if the key is required or its default is not
    /// documented.
    package let standard: String?

    /// Creates the form of a key from its permitted values.
    package init(_ key: String, _ form: String, standard: String? = nil) {
        (self.key, self.form, self.standard) = (key, form, standard)
    }
}
