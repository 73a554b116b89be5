import Encoding

/// Puts the disclosures of an SD-JWT into its payload and takes everything out that served only that purpose
/// (RFC 9901 section 7.1, steps 3 to 5). Linear in the size of payload and disclosures.
struct DisclosedPayload {
    private let disclosures: Disclosures
    private let depthLimit: Int
    /// Every digest met so far, with or without disclosure: none may come twice.
    private var met: Set<Text> = []
    /// Disclosures that a digest led to.
    private var used = 0

    /// The processed payload.
    ///
    /// - Throws: `disclosure.malformed` when digests stand where none may be or lead to a disclosure of the wrong kind,
    ///   `.name` for a forbidden or repeated name, `.duplicate` for a repeated digest, `.unreferenced` for a disclosure
    ///   that no digest leads to, `json.too-deep` when disclosures inside each other pass the limit of depth.
    static func process(
        _ claims: JSONObject, disclosures: Disclosures, limits: Limits
    ) throws(Rejection) -> JSONObject {
        var run = DisclosedPayload(disclosures, limits)
        var payload = claims
        payload[Self.hashName] = nil
        let processed = try run.object(payload, depth: 1)
        guard processed[Self.hashName] == nil else { throw Rejection(.disclosureName, at: "/_sd_alg") }
        guard run.used == disclosures.count else { throw Rejection(.disclosureUnreferenced) }
        return processed
    }

    private init(_ disclosures: Disclosures, _ limits: Limits) {
        self.disclosures = disclosures
        depthLimit = limits.jsonDepth
    }

    private static let digestsName: Text = "_sd"
    private static let elementName: Text = "..."
    private static let hashName: Text = "_sd_alg"

    private mutating func value(_ value: JSON, depth: Int) throws(Rejection) -> JSON {
        switch value {
        case .object(let object): return .object(try self.object(object, depth: depth + 1))
        case .array(let elements): return .array(try array(elements, depth: depth + 1))
        default: return value
        }
    }

    private mutating func object(_ object: JSONObject, depth: Int) throws(Rejection) -> JSONObject {
        guard depth <= depthLimit else { throw Rejection(.jsonTooDeep) }
        var processed = JSONObject()
        for member in object.members where member.name != Self.digestsName {
            // `...` has a meaning only as the one member of an array's element.
            guard member.name != Self.elementName else { throw Rejection(.disclosureMalformed) }
            let value = try located(Pointer.append("", member.name)) { (run) throws(Rejection) in
                try run.value(member.value, depth: depth)
            }
            _ = processed.appendIfNew(JSONObject.Member(member.name, value))
        }
        for digest in try digests(of: object) {
            guard let disclosure = try take(digest) else { continue }
            guard let name = disclosure.name else { throw Rejection(.disclosureMalformed) }
            guard name != Self.digestsName, name != Self.elementName else { throw Rejection(.disclosureName) }
            let value = try located(Pointer.append("", name)) { (run) throws(Rejection) in
                try run.value(disclosure.value, depth: depth)
            }
            guard processed.appendIfNew(JSONObject.Member(name, value)) else { throw Rejection(.disclosureName) }
        }
        return processed
    }

    private mutating func array(_ elements: [JSON], depth: Int) throws(Rejection) -> [JSON] {
        guard depth <= depthLimit else { throw Rejection(.jsonTooDeep) }
        var processed: [JSON] = []
        processed.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            let value = try located("/" + String(index)) { (run) throws(Rejection) -> JSON? in
                guard let reference = element.object, let member = reference[Self.elementName] else {
                    return try run.value(element, depth: depth)
                }
                guard reference.count == 1, let digest = member.string else {
                    throw Rejection(.disclosureMalformed)
                }
                guard let disclosure = try run.take(digest) else { return nil }
                guard disclosure.name == nil else { throw Rejection(.disclosureMalformed) }
                return try run.value(disclosure.value, depth: depth)
            }
            if let value { processed.append(value) }
        }
        return processed
    }

    /// The digests of an object's hidden members; decoys are among them.
    private func digests(of object: JSONObject) throws(Rejection) -> [Text] {
        guard let member = object[Self.digestsName] else { return [] }
        guard let elements = member.array else { throw Rejection(.disclosureMalformed, at: "/_sd") }
        let digests = elements.compactMap(\.string)
        guard digests.count == elements.count else { throw Rejection(.disclosureMalformed, at: "/_sd") }
        return digests
    }

    /// The disclosure that a digest leads to; nil for a decoy, or for what the holder keeps to himself.
    private mutating func take(_ digest: Text) throws(Rejection) -> Disclosure? {
        guard met.insert(digest).inserted else { throw Rejection(.disclosureDuplicate) }
        guard let disclosure = disclosures[digest] else { return nil }
        used += 1
        return disclosure
    }

    /// Runs `work` and says of what it throws that it was found at `pointer`.
    private mutating func located<Value>(
        _ pointer: @autoclosure () -> String, _ work: (inout Self) throws(Rejection) -> Value
    ) throws(Rejection) -> Value {
        do throws(Rejection) {
            return try work(&self)
        } catch { throw error.inside(pointer()) }
    }
}
