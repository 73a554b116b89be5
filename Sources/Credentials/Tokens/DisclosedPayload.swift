import Encoding
import Reasons

/// The payload of an SD-JWT with its disclosures inserted, and without the members for selective disclosure (RFC 9901
/// section 7.1, steps 3 to 5).
struct DisclosedPayload {
    /// The processed payload without withheld content.
    let object: JSONObject
    /// The processed payload. `null` replaces each withheld element of an array, so that the other elements keep the
    /// positions that the issuer gave them.
    let inPlace: JSONObject
    /// The places of withheld array elements, including decoys, as JSON pointers.
    let withheldElements: Set<Text>
    /// The objects with withheld members, as JSON pointers. Objects that have only decoys are included.
    private let holders: Set<Text>
    /// Whether the issuer shows `sub` to every verifier.
    private let namesSubject: Bool

    /// Inserts the disclosures into a payload. The time is linear in the size of payload and disclosures.
    ///
    /// - Throws: `disclosure.malformed` for digests at a forbidden place or of a disclosure of the wrong kind, `.name`
    ///   for a forbidden or repeated name, `.duplicate` for a repeated digest, `.unreferenced` for a disclosure without
    ///   a digest, `json.too-deep` if nested disclosures exceed the depth limit, `input.too-large` if the pointers to
    ///   withheld places are too long.
    init(_ claims: JSONObject, disclosures: Disclosures, limits: Limits) throws(Rejection) {
        var run = DisclosureRun(disclosures, limits, keepsPlaces: true)
        inPlace = try run.payload(claims)
        namesSubject = claims["sub"] != nil
        withheldElements = run.withheldElements
        holders = run.holders
        if withheldElements.isEmpty {
            object = inPlace
        } else {
            var run = DisclosureRun(disclosures, limits, keepsPlaces: false)
            object = try run.payload(claims)
        }
    }

    /// Whether outermost members of the payload are, or may be, withheld. A decoy digest looks like a withheld member.
    var withholdsMembers: Bool { holders.contains("") }

    /// Returns whether content at or below `pointer` is, or may be, withheld. A decoy digest looks like a withheld
    /// member.
    func withholds(at pointer: Text) -> Bool {
        let below = Text(pointer.string + "/")
        return holders.contains(pointer) || withheldElements.contains(pointer)
            || holders.contains { $0.hasPrefix(below) } || withheldElements.contains { $0.hasPrefix(below) }
    }

    /// The subjects: `sub`, or the subject of a credential of VCDM 2.0.
    var subjects: CredentialSubjects {
        let own = [object["sub"]?.string].compactMap(\.self)
        let described = CredentialSubjects(of: object)
        var subjects = CredentialSubjects(own + described.ids, isOneUnnamed: own.isEmpty && described.isOneUnnamed)
        // A holder who shows one id may still withhold another id. `sub` does not determine the id inside the
        // credential.
        let isCredential = object["@context"] != nil || object["credentialSubject"] != nil
        subjects.mayHideOne =
            !namesSubject && holders.contains("")
            || isCredential && holders.union(withheldElements).contains { $0.hasPrefix("/credentialSubject") }
                && described.ids.count < max(1, inPlace["credentialSubject"]?.array?.count ?? 1)
        return subjects
    }
}

/// One pass over a payload that inserts the disclosures.
private struct DisclosureRun {
    private let disclosures: Disclosures
    private let depthLimit: Int
    /// Whether to replace withheld elements by `null` and note their places.
    private let keepsPlaces: Bool
    /// The remaining total length, in bytes, of pointers to withheld places. Long names above many elements make long
    /// pointers.
    private var room = 1 << 21
    /// Every digest found so far, with or without a disclosure. A repeated digest is refused.
    private var met: Set<Text> = []
    /// The number of disclosures for which a digest was found.
    private var used = 0
    /// The current place in the payload.
    private var path: [Step] = []
    private(set) var withheldElements: Set<Text> = []
    private(set) var holders: Set<Text> = []

    private enum Step {
        case name(Text)
        case index(Int)
    }

    init(_ disclosures: Disclosures, _ limits: Limits, keepsPlaces: Bool) {
        self.disclosures = disclosures
        self.keepsPlaces = keepsPlaces
        depthLimit = limits.jsonDepth
    }

    /// Returns the processed payload, with or without `null` for withheld elements of arrays.
    mutating func payload(_ claims: JSONObject) throws(Rejection) -> JSONObject {
        var payload = claims
        payload[Self.hashName] = nil
        let processed = try object(payload, depth: 1)
        guard processed[Self.hashName] == nil else { throw Rejection(.disclosureName, at: "/_sd_alg") }
        guard used == disclosures.count else { throw Rejection(.disclosureUnreferenced) }
        return processed
    }

    private static let digestsName: Text = "_sd"
    private static let elementName: Text = "..."
    private static let hashName: Text = "_sd_alg"

    private var pointer: String {
        path.reduce(into: "") { pointer, step in
            switch step {
            case .name(let name): pointer = Pointer.append(pointer, name)
            case .index(let index): pointer = Pointer.append(pointer, index)
            }
        }
    }

    private mutating func value(_ value: JSON, depth: Int) throws(Rejection) -> JSON {
        switch value {
        case .object(let object): return .object(try self.object(object, depth: depth + 1))
        case .array(let elements): return .array(try array(elements, depth: depth + 1))
        default: return value
        }
    }

    private mutating func object(_ object: JSONObject, depth: Int) throws(Rejection) -> JSONObject {
        guard depth <= depthLimit else { throw refusal(.jsonTooDeep) }
        var processed = JSONObject()
        for member in object.members where member.name != Self.digestsName {
            // `...` is allowed only as the single member of an array's element.
            guard member.name != Self.elementName else { throw refusal(.disclosureMalformed) }
            path.append(.name(member.name))
            let value = try value(member.value, depth: depth)
            path.removeLast()
            _ = processed.appendIfNew(JSONObject.Member(member.name, value))
        }
        var isHolder = false
        for digest in try digests(of: object) {
            guard let disclosure = try take(digest) else {
                isHolder = true
                continue
            }
            guard let name = disclosure.name else { throw refusal(.disclosureMalformed) }
            guard name != Self.digestsName, name != Self.elementName else { throw refusal(.disclosureName) }
            path.append(.name(name))
            let value = try value(disclosure.value, depth: depth)
            path.removeLast()
            guard processed.appendIfNew(JSONObject.Member(name, value)) else { throw refusal(.disclosureName) }
        }
        if isHolder, keepsPlaces { holders.insert(try place()) }
        return processed
    }

    private mutating func array(_ elements: [JSON], depth: Int) throws(Rejection) -> [JSON] {
        guard depth <= depthLimit else { throw refusal(.jsonTooDeep) }
        var processed: [JSON] = []
        processed.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            path.append(.index(index))
            if let value = try self.element(element, depth: depth) {
                processed.append(value)
            } else if keepsPlaces {
                withheldElements.insert(try place())
                processed.append(.null)
            }
            path.removeLast()
        }
        return processed
    }

    /// Returns the element, with its disclosure inserted; nil if the element is withheld.
    private mutating func element(_ element: JSON, depth: Int) throws(Rejection) -> JSON? {
        guard let reference = element.object, let member = reference[Self.elementName] else {
            return try value(element, depth: depth)
        }
        guard reference.count == 1, let digest = member.string else { throw refusal(.disclosureMalformed) }
        guard let disclosure = try take(digest) else { return nil }
        guard disclosure.name == nil else { throw refusal(.disclosureMalformed) }
        return try value(disclosure.value, depth: depth)
    }

    /// Returns the digests of an object's hidden members, including decoys.
    private func digests(of object: JSONObject) throws(Rejection) -> [Text] {
        guard let member = object[Self.digestsName] else { return [] }
        let digests = member.array?.compactMap(\.string)
        guard let digests, digests.count == member.array?.count else {
            throw Rejection(.disclosureMalformed, at: pointer + "/_sd")
        }
        return digests
    }

    /// Returns the disclosure of a digest; nil for a decoy or a withheld value.
    private mutating func take(_ digest: Text) throws(Rejection) -> Disclosure? {
        guard met.insert(digest).inserted else { throw refusal(.disclosureDuplicate) }
        guard let disclosure = disclosures[digest] else { return nil }
        used += 1
        return disclosure
    }

    /// Returns the current place as a pointer. Throws `input.too-large` if the total length of such pointers is too
    /// large.
    private mutating func place() throws(Rejection) -> Text {
        let place = Text(pointer)
        room -= place.utf8.count + 16
        guard room > 0 else { throw Rejection(.inputTooLarge) }
        return place
    }

    private func refusal(_ code: ReasonCode) -> Rejection { Rejection(code, at: pointer) }
}
