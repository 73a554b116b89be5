/// A JSON value (RFC 8259) that keeps the member order and the text of numbers, because signatures depend on both.
/// Names are compared as bytes.
package enum JSON: Hashable, Sendable {
    /// `null`
    case null
    /// A Boolean: `true` or `false`.
    case bool(Bool)
    /// A number, represented by its source text. The text is never converted.
    case number(JSONNumber)
    /// A string after unescaping.
    case string(Text)
    /// An array with its elements in order.
    case array([JSON])
    /// An object with its members in source order.
    case object(JSONObject)
}

/// A number as written (RFC 8259 section 6).
package struct JSONNumber: Hashable, Sendable {
    /// The source text. `1`, `1.0` and `1e0` are three different numbers.
    package let text: String

    /// Wraps the text of a number. The caller must have checked that the text follows the grammar.
    package init(validated text: String) {
        self.text = text
    }

    /// Creates the JSON number of a whole number, written in decimal.
    package init(_ value: Int) {
        text = String(value)
    }

    /// The value of a number without fraction and exponent that fits into `Int`; otherwise nil.
    package var int: Int? { Int(text) }

    /// The nearest IEEE 754 double; infinity beyond its range.
    package var double: Double { Double(text) ?? .nan }
}

/// The members of a JSON object in source order. In an object with many members, a lookup takes constant time.
package struct JSONObject: Sendable {
    /// One member of an object: `"name": value`.
    package struct Member: Hashable, Sendable {
        /// The name after unescaping.
        package var name: Text { didSet { key = Self.key(of: name) } }
        /// The value of the member.
        package var value: JSON
        fileprivate private(set) var key: UInt32

        /// Creates a member with the given name and value.
        package init(_ name: Text, _ value: JSON) {
            self.name = name
            self.value = value
            key = Self.key(of: name)
        }

        /// Returns a number that differs for most pairs of names, so that few names must be compared. The number is
        /// made from the length and the last bytes, because the names in one document often share a prefix.
        fileprivate static func key(of name: Text) -> UInt32 {
            name.withBytes { bytes in
                let count = bytes.count
                let key = UInt32(truncatingIfNeeded: count) &* 0x9E37_79B1
                if count >= 4 {
                    return key ^ bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
                }
                return bytes.reduce(key) { key, byte in key << 8 ^ UInt32(byte) ^ key >> 24 }
            }
        }

        package static func == (left: Member, right: Member) -> Bool {
            left.key == right.key && left.name == right.name && left.value == right.value
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(name)
            hasher.combine(value)
        }
    }

    /// The members in order; names are unique.
    package private(set) var members: [Member]
    private var aid = Aid.none
    private static let indexedFrom = 64

    /// A structure that speeds up the reading of an object. The structure adds no information.
    private enum Aid: Sendable {
        case none
        /// The positions of the members by name. Only objects with at least `indexedFrom` members have an index,
        /// because a scan of a small object is faster.
        case index([Text: Int])
        /// A known object with the same members.
        case known(KnownObject)
    }

    /// Creates an empty object.
    package init() {
        members = []
    }

    /// Creates an object with the members of a known object.
    init(_ known: KnownObject) {
        members = known.object.members
        aid = .known(known)
    }

    /// The known object with the same members; nil after a change of this object.
    package var known: KnownObject? { if case .known(let known) = aid { known } else { nil } }

    /// Creates an object from its members. A repeated name keeps its first position and its last value.
    package init(_ members: [Member]) {
        self.init()
        self.members.reserveCapacity(members.count)
        for member in members { self[member.name] = member.value }
    }

    /// The number of members.
    package var count: Int { members.count }

    /// Whether the object has no members.
    package var isEmpty: Bool { members.isEmpty }

    /// The names in order.
    package var names: [Text] { members.map(\.name) }

    /// The value of the member `name`; nil if there is none. Setting a value appends or replaces the member; setting
    /// nil removes it.
    package subscript(name: Text) -> JSON? {
        get { position(of: name).map { members[$0].value } }
        set {
            // The change makes this object differ from the known object, so keep only the index of its members.
            if case .known(let known) = aid { aid = known.object.aid }
            if let position = position(of: name) {
                if let newValue {
                    members[position].value = newValue
                } else {
                    members.remove(at: position)
                    rebuildIndex()
                }
            } else if let newValue {
                append(Member(name, newValue))
            }
        }
    }

    /// Appends a member if its name is new. Otherwise changes nothing and returns false.
    package mutating func appendIfNew(_ member: consuming Member) -> Bool {
        switch aid {
        case .index(var index):
            aid = .none  // keeps the index uniquely referenced, so that it is changed in place
            defer { aid = .index(index) }
            if let old = index.updateValue(members.count, forKey: member.name) {
                index.updateValue(old, forKey: member.name)
                return false
            }
            members.append(member)
        case .none:
            let (key, name) = (member.key, member.name)
            if members.contains(where: { $0.key == key && $0.name == name }) { return false }
            append(member)
        case .known(let known):
            aid = known.object.aid
            return appendIfNew(member)
        }
        return true
    }

    private mutating func append(_ member: consuming Member) {
        // Reserve room only at the second member. Many objects, especially term definitions, have one member; the
        // others have several.
        if members.count == 1 { members.reserveCapacity(6) }
        if case .index(var index) = aid {
            aid = .none
            index[member.name] = members.count
            aid = .index(index)
        }
        members.append(member)
        if members.count == Self.indexedFrom { rebuildIndex() }
    }

    private mutating func rebuildIndex() {
        guard members.count >= Self.indexedFrom else {
            aid = .none
            return
        }
        var positions = [Text: Int](minimumCapacity: members.count * 2)
        for (position, member) in members.enumerated() { positions[member.name] = position }
        aid = .index(positions)
    }

    private func position(of name: Text) -> Int? {
        switch aid {
        case .index(let index): return index[name]
        case .known(let known): return known.object.position(of: name)
        case .none:
            let key = Member.key(of: name)
            return members.firstIndex { $0.key == key && $0.name == name }
        }
    }
}

extension JSONObject: Hashable {
    /// Returns whether the objects have the same members with the same values in the same order.
    package static func == (left: JSONObject, right: JSONObject) -> Bool { left.members == right.members }
    package func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (Text, JSON)...) { self.init(elements.map { Member($0, $1) }) }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    package init(stringLiteral value: String) { self = .string(Text(value)) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (Text, JSON)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member($0, $1) }))
    }
    package init(nilLiteral: ()) { self = .null }
}

extension JSON {
    /// A JSON string of `text`.
    package static func text(_ text: String) -> JSON { .string(Text(text)) }

    /// A JSON number of `value`.
    package static func int(_ value: Int) -> JSON { .number(JSONNumber(value)) }

    /// The members of an object; nil for any other value.
    package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The elements of an array; nil for any other value.
    package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }

    /// The text of a string; nil for any other value.
    package var string: Text? { if case .string(let value) = self { value } else { nil } }

    /// The value of `true` or `false`; nil for any other value.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number; nil for any other value.
    package var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }

    /// The value of a number without fraction and exponent that fits into `Int`; nil for any other value.
    package var int: Int? { number?.int }

    /// Whether this value is `null`.
    package var isNull: Bool { self == .null }

    /// The member `name` of an object; nil if the value is not an object or lacks the member.
    package subscript(name: Text) -> JSON? { object?[name] }
}
