import Encoding

extension ActiveContext.State {
    /// Expands a text to a keyword or an IRI, with a finished context (IRI expansion, JSON-LD 1.1 API section 5.2).
    ///
    /// - Parameters:
    ///   - vocabulary: Whether terms and the vocabulary mapping apply.
    ///   - documentRelative: Whether a remaining relative IRI is resolved against the base IRI.
    func expand(_ value: Text, vocabulary useVocabulary: Bool, documentRelative: Bool) -> TermDefinition.Expanded {
        if value.utf8.first == UInt8(ascii: "@") {
            if let keyword = Keyword(value) { return .keyword(keyword) }
            if Keyword.hasForm(value) { return .nothing }
        }
        if let definition = terms[value] {
            if case .keyword = definition.fields.mapping { return definition.fields.mapping }
            if useVocabulary { return definition.fields.mapping }
        }
        if let (prefix, suffix) = Self.splitCompact(value) {
            if prefix == "_" || suffix.utf8.starts(with: "//".utf8) { return .iri(value) }
            if let definition = terms[prefix], definition.fields.isPrefix,
                case .iri(let iri) = definition.fields.mapping
            {
                return .iri(Text(iri.string + suffix))
            }
            if IRI.hasScheme(value) { return .iri(value) }
        }
        if useVocabulary, let vocabulary { return .iri(Text(vocabulary.string + value.string)) }
        if documentRelative, let base { return .iri(IRI.resolve(value, against: base)) }
        return .iri(value)
    }

    /// Returns the parts of `value` before and after its first colon; nil if it has no colon, or begins with one.
    static func splitCompact(_ value: Text) -> (prefix: Text, suffix: Substring)? {
        let bytes = value.string.utf8
        guard let colon = bytes.dropFirst().firstIndex(of: UInt8(ascii: ":")), bytes.first != UInt8(ascii: ":") else {
            return nil
        }
        return (Text(String(value.string[..<colon])), value.string[bytes.index(after: colon)...])
    }
}
