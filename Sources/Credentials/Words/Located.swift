/// A value and where it stands.
struct Located<Value> {
    let value: Value
    /// JSON pointer into the document.
    let pointer: String
}
