import Encoding

/// A stored record could not be parsed. `member` is the first member that is missing or malformed.
package struct RecordError: Error, Hashable, Sendable {
    /// The name of the member, or "" if the body is not a JSON object.
    package let member: String
}

/// Reads the members of a record by name and type.
struct RecordFields {
    private let object: JSONObject

    init(_ json: JSON?, _ member: String = "") throws(RecordError) {
        guard let object = json?.object else { throw RecordError(member: member) }
        self.object = object
    }

    func text(_ name: Text) throws(RecordError) -> Text {
        guard let text = object[name]?.string else { throw RecordError(member: name.string) }
        return text
    }

    func int(_ name: Text) throws(RecordError) -> Int {
        guard let int = object[name]?.int else { throw RecordError(member: name.string) }
        return int
    }

    /// Reads a non-negative figure that is used in sums. Throws for a value below 0 or above `most`.
    func figure(_ name: Text, upTo most: Int = ChainPoint.countLimit) throws(RecordError) -> Int {
        let figure = try int(name)
        guard (0...most).contains(figure) else { throw RecordError(member: name.string) }
        return figure
    }

    func bool(_ name: Text) throws(RecordError) -> Bool {
        guard let bool = object[name]?.bool else { throw RecordError(member: name.string) }
        return bool
    }

    func array(_ name: Text) throws(RecordError) -> [JSON] {
        guard let array = object[name]?.array else { throw RecordError(member: name.string) }
        return array
    }

    /// Returns the array `name`; an empty array if the member is missing.
    func arrayIfPresent(_ name: Text) throws(RecordError) -> [JSON] { object[name] == nil ? [] : try array(name) }

    /// Reads bytes that are written as hex digits.
    func hex(_ name: Text) throws(RecordError) -> [UInt8] {
        guard let bytes = Hex.decode(try text(name).string) else { throw RecordError(member: name.string) }
        return bytes
    }

    /// Returns whether the member `name` is `null`. Throws if the member is missing.
    func isNull(_ name: Text) throws(RecordError) -> Bool {
        guard let value = object[name] else { throw RecordError(member: name.string) }
        return value.isNull
    }

    func timestamp(_ name: Text) throws(RecordError) -> Timestamp {
        guard let timestamp = Timestamp(rfc3339: try text(name).string) else { throw RecordError(member: name.string) }
        return timestamp
    }

    /// Returns the members of the object `name`; nil if its value is `null`.
    func object(_ name: Text) throws(RecordError) -> RecordFields? {
        guard let value = object[name] else { throw RecordError(member: name.string) }
        return value.isNull ? nil : try RecordFields(value, name.string)
    }

    /// Returns the object `name`; nil if the member is missing.
    func objectIfPresent(_ name: Text) throws(RecordError) -> RecordFields? {
        object[name] == nil ? nil : try self.object(name)
    }

    /// Returns the text `name`; nil if the member is missing.
    func textIfPresent(_ name: Text) throws(RecordError) -> Text? { object[name] == nil ? nil : try text(name) }

    /// Returns the number `name`; nil if the member is missing.
    func figureIfPresent(
        _ name: Text, upTo most: Int = ChainPoint.countLimit
    ) throws(RecordError) -> Int? { object[name] == nil ? nil : try figure(name, upTo: most) }

    /// Returns the Boolean `name`; nil if the member is missing.
    func boolIfPresent(_ name: Text) throws(RecordError) -> Bool? { object[name] == nil ? nil : try bool(name) }

    /// Returns the instant `name`; nil if the member is missing.
    func instantIfPresent(_ name: Text) throws(RecordError) -> Instant? {
        object[name] == nil ? nil : Instant(nanoseconds: Int64(try int(name)))
    }

    /// Returns the timestamp `name`; nil if the member is missing.
    func timestampIfPresent(_ name: Text) throws(RecordError) -> Timestamp? {
        object[name] == nil ? nil : try timestamp(name)
    }
}
