/// An object that many texts hold letter by letter, in every form that their readers need: read, counted and written
/// canonically once.
///
/// A text that holds it reads as it would without (``JSON/parse(_:limits:knowing:)``), only faster.
package final class KnownObject: Sendable {
    /// Its letters in UTF-8.
    package let text: [UInt8]
    /// What they were read as.
    let object: JSONObject
    /// What its letters count towards the limits.
    let place: ObjectPlace
    /// Its canonical text by RFC 8785.
    let canonical: [UInt8]

    /// Knows the object with the letters that it first has in `text`; nil where it is known already, stands nowhere in the
    /// text, takes more than `largest` bytes, or has no canonical form.
    package init?(_ object: JSONObject, in text: [UInt8], limits: JSON.Limits, largest: Int) {
        guard object.known == nil, let place = ObjectPlace(of: object, in: text, limits: limits),
            place.range.count <= largest,
            let canonical = try? JSON.object(object).canonicalized()
        else { return nil }
        self.text = Array(text[place.range])
        self.object = object
        self.place = place
        self.canonical = canonical
    }
}

/// Two known objects are the same only if they are one: a key that costs nothing to compare.
extension KnownObject: Hashable {
    package static func == (left: KnownObject, right: KnownObject) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Where an object stands in a text, and what it counts towards the limits.
struct ObjectPlace {
    let range: Range<Int>
    /// Values inside.
    let values: Int
    /// Containers inside each other, itself not counted.
    let height: Int

    init(range: Range<Int>, values: Int, height: Int) {
        self.range = range
        self.values = values
        self.height = height
    }

    /// The first place of an object like `object` in a JSON text.
    fileprivate init?(of object: JSONObject, in text: [UInt8], limits: JSON.Limits) {
        let place = text.withUnsafeBytes { bytes -> ObjectPlace? in
            var parser = JSONParser(bytes: bytes, limits: limits, seeking: object)
            _ = try? parser.document()
            return parser.place
        }
        guard let place else { return nil }
        self = place
    }
}
