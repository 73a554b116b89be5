/// Numbers out of a row of bytes; zeros after its end.
package struct Choices {
    private var bytes: ArraySlice<UInt8>

    /// Of these bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    /// 0 to one less than `bound`, which is not over 65,536.
    package mutating func below(_ bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let high = bound > 256 ? Int(bytes.popFirst() ?? 0) << 8 : 0
        return (high | Int(bytes.popFirst() ?? 0)) % bound
    }

    package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// One of them; nil where there is none.
    package mutating func pick<Value>(orNone values: [Value]) -> Value? { values.isEmpty ? nil : pick(values) }
}
