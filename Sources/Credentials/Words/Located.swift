/// A value with its place in the payload, as a JSON pointer.
struct Located<Value> {
    let value: Value
    /// The place as a JSON pointer into the document.
    let pointer: String
}
