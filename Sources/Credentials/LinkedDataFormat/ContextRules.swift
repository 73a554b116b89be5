import Encoding
import Reasons

/// The contexts that a document may use: pinned URLs and, where allowed, inline contexts.
struct ContextRules {
    let trust: TrustStore
    let inlineAllowed: Bool
    /// The URLs of the contexts that this issuer's credentials may use; nil allows every pinned context.
    var urls: [Text]?

    /// Checks every `@context` in the document, at any depth.
    func check(_ document: JSONObject) throws(Rejection) {
        // Only a refusal needs the JSON pointer of a context, so a first pass without pointers decides whether all are
        // allowed.
        if isAllowed(.object(document)) { return }
        try check(.object(document))
    }

    /// Returns the place of a context below the outermost object; nil if there is none. Such a context could change the
    /// meaning of names in a part of the document. Only proofs, the credentials of a presentation and embedded
    /// credentials may contain contexts.
    static func nested(in document: JSONObject) -> String? {
        // Skip the credentials of a presentation, which are checked one by one.
        let isPresentation = (document["type"].map { $0.array ?? [$0] } ?? []).contains("VerifiablePresentation")
        for member in document.members where member.name != "@context" && member.value.isContainer {
            if member.name == "proof" || isPresentation && member.name == "verifiableCredential" { continue }
            if let place = context(in: member.value) { return Pointer.append("", member.name) + place }
        }
        return nil
    }

    private static func context(in value: JSON) -> String? {
        switch value {
        case .object(let object):
            let isCredential = isCredential(object)
            for member in object.members where member.name == "@context" || member.value.isContainer {
                if isCredential, member.name == "@context" || member.name == "proof" { continue }
                if member.name == "@context" { return "/@context" }
                if let inner = context(in: member.value) { return Pointer.append("", member.name) + inner }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                if let inner = context(in: element) { return Pointer.append("", index) + inner }
            }
        default: break
        }
        return nil
    }

    /// Returns whether an object has the form of a credential. In such an object, the first context defines and
    /// protects the term `type` and the type's name.
    private static func isCredential(_ object: JSONObject) -> Bool {
        guard let first = object["@context"]?.array?.first?.string, CredentialShape.Version(rawValue: first) != nil
        else {
            return false
        }
        return (object["type"].map { $0.array ?? [$0] } ?? []).contains("VerifiableCredential")
    }

    private func isAllowed(_ value: JSON) -> Bool {
        switch value {
        case .object(let object):
            object.members.indices.allSatisfy { index in
                if object.members[index].name == "@context" { return isAllowed(context: object.members[index].value) }
                return !object.members[index].value.isContainer || isAllowed(object.members[index].value)
            }
        case .array(let elements): elements.allSatisfy { !$0.isContainer || isAllowed($0) }
        default: true
        }
    }

    private func isAllowed(context: JSON) -> Bool {
        (context.array ?? [context]).allSatisfy { (try? check(entry: $0, at: "")) != nil }
    }

    /// Checks the contexts in a value, at any depth. The pointer of a refused context is composed while the error
    /// passes up, because names may be long and objects may have many members.
    private func check(_ value: JSON) throws(Rejection) {
        switch value {
        case .object(let object):
            for member in object.members {
                if member.name == "@context" {
                    try checkContext(member.value, at: "/@context")
                } else if member.value.isContainer {
                    do throws(Rejection) { try check(member.value) } catch {
                        throw error.inside(Pointer.append("", member.name))
                    }
                }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                do throws(Rejection) { try check(element) } catch { throw error.inside(Pointer.append("", index)) }
            }
        default: return
        }
    }

    private func checkContext(_ context: JSON, at pointer: String) throws(Rejection) {
        for (index, entry) in (context.array ?? [context]).enumerated() {
            let pointer = context.array == nil ? pointer : Pointer.append(pointer, index)
            try check(entry: entry, at: pointer)
        }
    }

    private func check(entry: JSON, at pointer: String) throws(Rejection) {
        switch entry {
        case .string(let url):
            guard trust.pins(url), urls?.contains(url) ?? true else {
                throw Rejection(.contextNotPinned, at: pointer)
            }
        case .null: guard inlineAllowed else { throw Rejection(.contextInlineForbidden, at: pointer) }
        case .object: guard inlineAllowed else { throw Rejection(.contextInlineForbidden, at: pointer) }
        default: throw Rejection(.contextInvalid, at: pointer)
        }
    }
}

extension JSON {
    /// Whether the value is an object or an array.
    var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }
}
