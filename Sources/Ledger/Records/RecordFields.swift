import Encoding

/// The error of JSON that is not a valid record. `member` is the first member that is missing or malformed.
package struct RecordError: Error, Hashable, Sendable {
    /// The name of the member; "" if the whole value is not a JSON object or not in the required form.
    package let member: String
}

/// Reads the members of a JSON object by name. Each method throws if the member is missing or has another type.
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

    /// Reads a non-negative whole number. Throws if it is below 0 or above `most`; the limit prevents an overflow of
    /// sums.
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

    /// Returns the array `name`; an empty array if there is no such member.
    func arrayIfPresent(_ name: Text) throws(RecordError) -> [JSON] { object[name] == nil ? [] : try array(name) }

    /// Reads bytes that are written as hexadecimal digits.
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

    /// Returns the object `name`; nil if there is no such member or its value is `null`.
    func objectIfPresent(_ name: Text) throws(RecordError) -> RecordFields? {
        object[name] == nil ? nil : try self.object(name)
    }

    /// Returns the text `name`; nil if there is no such member.
    func textIfPresent(_ name: Text) throws(RecordError) -> Text? { object[name] == nil ? nil : try text(name) }

    /// Returns the number `name`; nil if there is no such member.
    func figureIfPresent(
        _ name: Text, upTo most: Int = ChainPoint.countLimit
    ) throws(RecordError) -> Int? { object[name] == nil ? nil : try figure(name, upTo: most) }

    /// Returns the Boolean `name`; nil if there is no such member.
    func boolIfPresent(_ name: Text) throws(RecordError) -> Bool? { object[name] == nil ? nil : try bool(name) }

    /// Returns the instant `name`; nil if there is no such member.
    func instantIfPresent(_ name: Text) throws(RecordError) -> Instant? {
        object[name] == nil ? nil : Instant(nanoseconds: Int64(try int(name)))
    }

    /// Returns the timestamp `name`; nil if there is no such member.
    func timestampIfPresent(_ name: Text) throws(RecordError) -> Timestamp? {
        object[name] == nil ? nil : try timestamp(name)
    }
}
