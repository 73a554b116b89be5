/// A value with its place.
struct Located<Value> {
    let value: Value
    /// The place as a JSON pointer into the document.
    let pointer: String
}
