/// An object that many texts contain byte for byte. The object is parsed, counted and canonicalized once, and stored in
/// every form that readers need.
///
/// A parser that knows the object (``JSON/parse(_:limits:knowing:)``) parses a text with the object faster. The result
/// is the same.
package final class KnownObject: Sendable {
    /// The UTF-8 text of the object.
    let text: [UInt8]
    /// The parsed object.
    let object: JSONObject
    /// The place where the object was found, with the number of values and the nesting depth that count towards the
    /// limits.
    let place: ObjectPlace
    /// The canonical text of the object (RFC 8785), and whether parsing the text returns an equal object.
    let canonical: [UInt8]
    let isVerbatim: Bool
    private let hash: Int

    private init?(_ object: JSONObject, at place: ObjectPlace, in text: [UInt8]) {
        guard let canonical = try? JSON.object(object).canonical() else { return nil }
        self.text = Array(text[place.range])
        self.object = object
        self.place = place
        (self.canonical, isVerbatim) = canonical
        hash = self.text.hashValue
    }

    /// Returns the objects of `objects` that a JSON text contains, each in the spelling of its first occurrence.
    ///
    /// Omits objects that are empty, already known, without a canonical form, or larger than `largest` bytes.
    package static func find(
        _ objects: some Sequence<JSONObject>, in text: [UInt8], limits: JSON.Limits, largest: Int
    ) -> [KnownObject] {
        // Skip an object whose compact spelling is too large, because the compact spelling is the shortest.
        let sought = objects.filter {
            !$0.isEmpty && $0.known == nil && JSON.object($0).compactBytes.count <= largest
        }
        guard !sought.isEmpty else { return [] }
        let places = text.withUnsafeBytes { bytes in
            var parser = JSONParser(bytes: bytes, limits: limits, seeking: sought)
            _ = try? parser.document()
            return parser.places
        }
        return zip(sought, places).compactMap { object, place in
            guard let place, place.range.count <= largest else { return nil }
            return KnownObject(object, at: place, in: text)
        }
    }

    /// The number of bytes of text that the object stores.
    package var size: Int { text.count + canonical.count }
}

/// Two known objects are equal if their texts are equal. The stored hash makes hashing cheap, and comparing an object
/// with itself costs nothing.
extension KnownObject: Hashable {
    package static func == (left: KnownObject, right: KnownObject) -> Bool {
        left === right || left.hash == right.hash && left.text == right.text
    }
    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The place of an object in a text, with the values and the nesting depth that count towards the limits.
struct ObjectPlace {
    let range: Range<Int>
    /// The number of values inside.
    let values: Int
    /// The nesting depth of the inner containers. The object itself does not count.
    let height: Int
}
