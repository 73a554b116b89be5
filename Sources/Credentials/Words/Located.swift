/// A value with its place in a document, as a JSON pointer.
struct Located<Value> {
    let value: Value
    let pointer: String
}
