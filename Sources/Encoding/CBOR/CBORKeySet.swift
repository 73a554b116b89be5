/// The keys of one map that were read so far.
///
/// Keys are compared by value in the generic data model (RFC 8949 section 5.6.1), not by encoding. The integer 1 in one
/// byte and the integer 1 in nine bytes are the same key. The integer 1 and the float 1.0 are different keys. A bignum
/// that fits into an integer equals the integer (section 3.4.3).
struct CBORKeySet {
    private enum Key: Hashable {
        case unsigned(UInt64)
        case text(Text)
        /// Any other key, represented by its deterministic encoding.
        case other([UInt8])

        init(_ item: CBOR) {
            switch item.value.preferred {
            case .unsigned(let number): self = .unsigned(number)
            case .text(let text): self = .text(text)
            case let value: self = .other(value.deterministicBytes)
            }
        }
    }

    /// The maximum number of keys for a linear search. More keys are looked up by hash.
    private static let searched = 8
    private var few: [Key] = []
    private var many: Set<Key> = []

    /// Adds a key. Returns false if an equal key exists already.
    mutating func insert(_ item: CBOR) -> Bool {
        let key = Key(item)
        if many.isEmpty {
            if few.contains(key) { return false }
            few.append(key)
            if few.count > Self.searched { many = Set(few) }
            return true
        }
        return many.insert(key).inserted
    }
}
