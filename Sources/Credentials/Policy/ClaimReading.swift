import Encoding
import LinkedData

/// The result of reading a claim.
enum ClaimFinding {
    case value(ClaimValue)
    /// The issuer stated nothing at the path.
    case absent
    /// The existence of a value, or the value, is unknown. The text is the reason, for display.
    case unknown(String)
}

extension SignedClaims {
    /// Returns the claim at the path with every value. A signed text is read directly; otherwise the statements are
    /// read.
    func read(_ path: ClaimPath, _ names: ClaimNames) -> ClaimFinding {
        switch path {
        case .pointer(_, let tokens):
            if let text { return text.read(tokens, in: format) }
            return statements(names) { $0.read(pointer: tokens) }
        case .properties(let iris):
            guard format == .ldpVC else { return .unknown("the format has no graph: use a pointer") }
            return statements(names) { $0.read(properties: iris) }
        }
    }

    /// Returns what the statements of a signed text of linked data state at a path; names and values in the text may
    /// mean IRIs. Returns nil for other formats, whose texts state nothing beyond what ``read(_:_:)`` reads, and for
    /// linked data whose statements are signed, which ``read(_:_:)`` reads itself. Returns nil for the claims in a
    /// policy's test, which have neither contexts nor statements.
    func readMeaning(of path: ClaimPath, _ names: ClaimNames) -> ClaimFinding? {
        guard format == .ldpVC, text != nil, deferred != nil, contexts.bringsOwn || !contexts.urls.isEmpty,
            case .pointer(_, let tokens) = path
        else { return nil }
        return statements(names) { $0.read(pointer: tokens) }
    }

    private func statements(_ names: ClaimNames, _ read: (inout StatementReading) -> ClaimFinding) -> ClaimFinding {
        guard let graph = names.work.graph(of: self) else { return .unknown("the graph has no single root") }
        var reading = StatementReading(graph, names)
        return read(&reading)
    }

    /// Whether the holder may have withheld a type.
    var mayHideType: Bool {
        if let text {
            return text.withheld.contains { $0.hasPrefix("/type/") } || text.hidesMembers && types.isEmpty
        }
        return deferred?.graph.map { $0.mandatory != nil && !$0.isComplete(RDF.type, at: $0.root) } ?? false
    }
}

extension SignedText {
    func read(_ tokens: [Text], in format: CredentialFormat) -> ClaimFinding {
        // A signature over the text of linked data covers a canonical form; other signatures cover the text as
        // received.
        let isCanonical = format == .ldpVC
        var (value, pointer) = (document, "")
        for token in tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return missing(in: format) }
                value = member
            case .array(let elements):
                guard let index = ClaimIndex(token)?.value else {
                    // An empty list contains no value under any name.
                    return elements.isEmpty ? missing(in: format) : .unknown("a list is read by an index")
                }
                guard elements.indices.contains(index) else { return missing(in: format) }
                value = elements[index]
            default: return missing(in: format)
            }
            pointer = Pointer.append(pointer, token)
            if withheld.contains(Text(pointer)) { return .value(.hidden) }
        }
        guard !withheld.isEmpty, let elements = value.array else {
            return .value(ClaimValue(value, isCanonical: isCanonical))
        }
        let values = elements.enumerated().map { index, element -> ClaimValue in
            if withheld.contains(Text(Pointer.append(pointer, index))) { return .hidden }
            return element.array == nil ? ClaimValue(element, isCanonical: isCanonical) : .other
        }
        return .value(.list(values))
    }

    /// Returns the finding for a missing claim. The claim is absent only if the holder cannot choose what to show. The
    /// holder of an mdoc chooses its elements.
    private func missing(in format: CredentialFormat) -> ClaimFinding {
        hidesMembers || format == .mdoc ? .unknown("the holder chooses what to show") : .absent
    }
}

/// An index in a JSON pointer: decimal digits without a leading zero (RFC 6901 section 4).
struct ClaimIndex {
    let value: Int

    init?(_ token: Text) {
        guard (1...9).contains(token.utf8.count), token == "0" || !token.hasPrefix("0"),
            token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(token.string)
        else { return nil }
        self.value = value
    }
}
