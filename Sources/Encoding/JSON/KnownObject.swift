/// An object that many texts hold letter by letter, in every form that their readers need: read, counted and written
/// canonically once.
///
/// A text that holds it reads as it would without (``JSON/parse(_:limits:knowing:)``), only faster.
package final class KnownObject: Sendable {
    /// Its letters in UTF-8.
    let text: [UInt8]
    /// What they were read as.
    let object: JSONObject
    /// What its letters count towards the limits.
    let place: ObjectPlace
    /// Its canonical text by RFC 8785, and whether that reads as the object again.
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

    /// Knows those of the objects that stand in a JSON text, with the letters that they first have there.
    ///
    /// Left out is what is empty, known already, has no canonical form, or takes more than `largest` bytes.
    package static func find(
        _ objects: some Sequence<JSONObject>, in text: [UInt8], limits: JSON.Limits, largest: Int
    ) -> [KnownObject] {
        // No spelling is shorter than the compact one.
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

    /// Bytes of text that it keeps.
    package var size: Int { text.count + canonical.count }
}

/// The same are those of the same letters: a key that costs little to hash, and nothing to compare with itself.
extension KnownObject: Hashable {
    package static func == (left: KnownObject, right: KnownObject) -> Bool {
        left === right || left.hash == right.hash && left.text == right.text
    }
    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// Where an object stands in a text, and what it counts towards the limits.
struct ObjectPlace {
    let range: Range<Int>
    /// Values inside.
    let values: Int
    /// Containers inside each other, itself not counted.
    let height: Int
}
