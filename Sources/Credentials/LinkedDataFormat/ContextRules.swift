import Encoding

/// Which contexts a document may use: pinned URLs, and objects of its own only where they are allowed.
struct ContextRules {
    let trust: TrustStore
    let inlineAllowed: Bool

    /// Looks at every `@context` in the document, wherever it stands.
    func check(_ document: JSONObject) throws(Rejection) {
        try check(.object(document), at: "")
    }

    private func check(_ value: JSON, at pointer: String) throws(Rejection) {
        switch value {
        case .object(let object):
            for member in object.members {
                if member.name == "@context" {
                    try checkContext(member.value, at: pointer + "/@context")
                } else if member.value.isContainer {
                    try check(member.value, at: Pointer.append(pointer, member.name))
                }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                try check(element, at: Pointer.append(pointer, index))
            }
        default: return
        }
    }

    private func checkContext(_ context: JSON, at pointer: String) throws(Rejection) {
        for (index, entry) in (context.array ?? [context]).enumerated() {
            let pointer = context.array == nil ? pointer : Pointer.append(pointer, index)
            switch entry {
            case .string(let url): guard trust.pins(url) else { throw Rejection(.contextNotPinned, at: pointer) }
            case .null: guard inlineAllowed else { throw Rejection(.contextInlineForbidden, at: pointer) }
            case .object: guard inlineAllowed else { throw Rejection(.contextInlineForbidden, at: pointer) }
            default: throw Rejection(.contextInvalid, at: pointer)
            }
        }
    }
}

extension JSON {
    /// Whether there can be anything inside.
    var isContainer: Bool {
        switch self {
        case .object, .array: true
        default: false
        }
    }
}
