/// Numbers that are drawn from a sequence of bytes; zeros after its end.
package struct Choices {
    private var bytes: ArraySlice<UInt8>

    /// Draws from these bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    /// Returns a number from 0 to `bound` - 1; `bound` is at most 65,536.
    package mutating func below(_ bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let high = bound > 256 ? Int(bytes.popFirst() ?? 0) << 8 : 0
        return (high | Int(bytes.popFirst() ?? 0)) % bound
    }

    package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// Returns one of `values`; nil when there are none.
    package mutating func pick<Value>(orNone values: [Value]) -> Value? { values.isEmpty ? nil : pick(values) }
}
