import Encoding

/// The payload of an SD-JWT with its disclosures put into it, and without everything that served only that purpose (RFC 9901
/// section 7.1, steps 3 to 5).
struct DisclosedPayload {
    /// The processed payload: what is withheld is not there.
    let object: JSONObject
    /// The same where each withheld element of an array has left a `null`: the others keep the places that the issuer gave them.
    let inPlace: JSONObject
    /// Where those elements stand, as JSON pointers; decoys are among them.
    let withheldElements: Set<Text>
    /// The objects of which members are withheld, as JSON pointers; those with decoys only are among them.
    private let holders: Set<Text>
    /// Whether the issuer shows `sub` to everybody.
    private let namesSubject: Bool

    /// Puts the disclosures into a payload. Linear in the size of both.
    ///
    /// - Throws: `disclosure.malformed` when digests stand where none may be or lead to a disclosure of the wrong kind,
    ///   `.name` for a forbidden or repeated name, `.duplicate` for a repeated digest, `.unreferenced` for a disclosure
    ///   that no digest leads to, `json.too-deep` when disclosures inside each other pass the limit of depth,
    ///   `input.too-large` when the places of what is withheld are too long to keep.
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

    /// Whether members of the payload itself are withheld, or may be: decoys look the same.
    var withholdsMembers: Bool { holders.contains("") }

    /// Whether something is withheld at that place or below it: decoys look the same.
    func withholds(at pointer: Text) -> Bool {
        let below = Text(pointer.string + "/")
        return holders.contains(pointer) || withheldElements.contains(pointer)
            || holders.contains { $0.hasPrefix(below) } || withheldElements.contains { $0.hasPrefix(below) }
    }

    /// Whom it is about: `sub`, or the subject of a credential of VCDM 2.0.
    var subjects: CredentialSubjects {
        let own = [object["sub"]?.string].compactMap(\.self)
        let described = CredentialSubjects(of: object)
        var subjects = CredentialSubjects(own + described.ids, isOneUnnamed: own.isEmpty && described.isOneUnnamed)
        // A holder who shows one name may still keep back another; `sub` says nothing of an id in the credential.
        let isCredential = object["@context"] != nil || object["credentialSubject"] != nil
        subjects.mayHideOne =
            !namesSubject && holders.contains("")
            || isCredential && holders.union(withheldElements).contains { $0.hasPrefix("/credentialSubject") }
                && described.ids.count < max(1, inPlace["credentialSubject"]?.array?.count ?? 1)
        return subjects
    }
}

/// One processing of a payload.
private struct DisclosureRun {
    private let disclosures: Disclosures
    private let depthLimit: Int
    /// Whether a withheld element leaves a `null` where it was, and is noted.
    private let keepsPlaces: Bool
    /// Letters that the places of what is withheld may have together: long names above many elements make long pointers.
    private var room = 1 << 21
    /// Every digest met so far, with or without disclosure: none may come twice.
    private var met: Set<Text> = []
    /// Disclosures that a digest led to.
    private var used = 0
    /// Where the run is.
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

    /// The payload, with `null` for each withheld element of an array.
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
            // `...` has a meaning only as the one member of an array's element.
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

    /// The element; nil where it is withheld.
    private mutating func element(_ element: JSON, depth: Int) throws(Rejection) -> JSON? {
        guard let reference = element.object, let member = reference[Self.elementName] else {
            return try value(element, depth: depth)
        }
        guard reference.count == 1, let digest = member.string else { throw refusal(.disclosureMalformed) }
        guard let disclosure = try take(digest) else { return nil }
        guard disclosure.name == nil else { throw refusal(.disclosureMalformed) }
        return try value(disclosure.value, depth: depth)
    }

    /// The digests of an object's hidden members; decoys are among them.
    private func digests(of object: JSONObject) throws(Rejection) -> [Text] {
        guard let member = object[Self.digestsName] else { return [] }
        let digests = member.array?.compactMap(\.string)
        guard let digests, digests.count == member.array?.count else {
            throw Rejection(.disclosureMalformed, at: pointer + "/_sd")
        }
        return digests
    }

    /// The disclosure that a digest leads to; nil for a decoy, or for what the holder keeps to himself.
    private mutating func take(_ digest: Text) throws(Rejection) -> Disclosure? {
        guard met.insert(digest).inserted else { throw refusal(.disclosureDuplicate) }
        guard let disclosure = disclosures[digest] else { return nil }
        used += 1
        return disclosure
    }

    /// Where the run is, to be kept.
    private mutating func place() throws(Rejection) -> Text {
        let place = Text(pointer)
        room -= place.utf8.count + 16
        guard room > 0 else { throw Rejection(.inputTooLarge) }
        return place
    }

    private func refusal(_ code: ReasonCode) -> Rejection { Rejection(code, at: pointer) }
}
