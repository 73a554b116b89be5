/// Draws numbers from a sequence of bytes. After the end of the sequence, every byte counts as zero.
package struct Choices {
    private var bytes: ArraySlice<UInt8>

    /// Creates a source that draws from `bytes`.
    package init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

    /// Returns a number from 0 to `bound` - 1. `bound` must be at most 65,536.
    package mutating func below(_ bound: Int) -> Int {
        guard bound > 1 else { return 0 }
        let high = bound > 256 ? Int(bytes.popFirst() ?? 0) << 8 : 0
        return (high | Int(bytes.popFirst() ?? 0)) % bound
    }

    package mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

    /// Returns one of `values`; nil if `values` is empty.
    package mutating func pick<Value>(orNone values: [Value]) -> Value? { values.isEmpty ? nil : pick(values) }
}
