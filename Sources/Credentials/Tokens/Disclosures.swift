import Encoding
import Reasons

/// One disclosure: `[salt, name, value]` for a member of an object, `[salt, value]` for an element of an array (RFC
/// 9901 section 4.2).
struct Disclosure {
    /// The member's name; nil for an array's element.
    let name: Text?
    let value: JSON
}

/// The disclosures of one SD-JWT by their digests.
struct Disclosures {
    private let byDigest: [Text: Disclosure]

    var count: Int { byDigest.count }

    /// Reads all disclosures.
    ///
    /// - Throws: `disclosure.malformed` for a disclosure that is not strict base64url of a strict JSON array,
    ///   `disclosure.duplicate` for a repeated disclosure, `input.too-large` if all disclosures together have too many
    ///   JSON values.
    init(_ texts: [ArraySlice<UInt8>], hash: DisclosureHash, limits: Limits) throws(Rejection) {
        var read = [Text: Disclosure](minimumCapacity: texts.count)
        var json = limits.json
        for text in texts {
            guard let bytes = Base64.decodeURL(text) else { throw Rejection(.disclosureMalformed) }
            let disclosure = try Self.disclosure(bytes, json)
            // The limit on values applies to all disclosures together.
            json.values -= 1 + Self.values(in: disclosure.value)
            guard read.updateValue(disclosure, forKey: hash.digest(text)) == nil else {
                throw Rejection(.disclosureDuplicate)
            }
        }
        byDigest = read
    }

    subscript(digest: Text) -> Disclosure? { byDigest[digest] }

    /// Returns the number of values, including containers.
    private static func values(in value: JSON) -> Int {
        switch value {
        case .array(let elements): elements.reduce(1) { $0 + values(in: $1) }
        case .object(let object): object.members.reduce(1) { $0 + values(in: $1.value) }
        default: 1
        }
    }

    private static func disclosure(_ bytes: [UInt8], _ limits: JSON.Limits) throws(Rejection) -> Disclosure {
        let value: JSON
        do throws(JSONError) {
            value = try JSON.parse(bytes, limits: limits)
        } catch {
            throw Rejection(error.code == .tooLarge ? .inputTooLarge : .disclosureMalformed)
        }
        guard let parts = value.array, parts.first?.string != nil else { throw Rejection(.disclosureMalformed) }
        switch parts.count {
        case 2: return Disclosure(name: nil, value: parts[1])
        case 3:
            guard let name = parts[1].string else { throw Rejection(.disclosureMalformed) }
            return Disclosure(name: name, value: parts[2])
        default: throw Rejection(.disclosureMalformed)
        }
    }
}
