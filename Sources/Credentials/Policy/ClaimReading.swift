import Encoding
import LinkedData

/// What was found at the place of a claim.
enum ClaimFinding {
    case value(ClaimValue)
    /// The issuer said nothing there.
    case absent
    /// Whether anything stands there, or what, cannot be told; why, for people.
    case unknown(String)
}

extension SignedClaims {
    /// What stands at the path: in the text where that is signed, else in the statements, with every value.
    func read(_ path: ClaimPath, _ names: ClaimNames) -> ClaimFinding {
        switch path {
        case .pointer(_, let tokens):
            if let text { return text.read(tokens, in: format) }
            return graph?.read(tokens, names, areNames: true) ?? .unknown("the graph has no single root")
        case .properties(let iris):
            guard format == .ldpVC else { return .unknown("the format has no graph: use a pointer") }
            return graph?.read(iris, names, areNames: false) ?? .unknown("the graph has no single root")
        }
    }

    /// Whether the holder may have left a type out.
    var mayHideType: Bool {
        if let text {
            return text.withheld.contains { $0.hasPrefix("/type/") } || text.hidesMembers && types.isEmpty
        }
        return graph.map { $0.mandatory != nil && !$0.isComplete(RDF.type, at: $0.root) } ?? false
    }
}

extension SignedText {
    func read(_ tokens: [Text], in format: CredentialFormat) -> ClaimFinding {
        // Only the text of linked data is signed in a canonical form.
        let isCanonical = format == .ldpVC
        var (value, pointer) = (document, "")
        for token in tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return missing(in: format) }
                value = member
            case .array(let elements):
                guard let index = ClaimIndex(token)?.value else {
                    // In an empty list there is nothing by any name.
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

    /// Absence says something only where the holder does not choose what to show: an mdoc's elements are his choice too.
    private func missing(in format: CredentialFormat) -> ClaimFinding {
        hidesMembers || format == .mdoc ? .unknown("the holder chooses what to show") : .absent
    }
}

/// A place in a list as a pointer names it: decimal digits without a leading zero (RFC 6901 section 4).
private struct ClaimIndex {
    let value: Int

    init?(_ token: Text) {
        guard (1...9).contains(token.utf8.count), token == "0" || !token.hasPrefix("0"),
            token.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int(token.string)
        else { return nil }
        self.value = value
    }
}

extension StatementGraph {
    /// What a path of properties from the credential on leads to. A step is the IRI of one; where steps are names, the short
    /// name of one, `id`, `type`, or a place in an ordered list.
    func read(_ steps: [Text], _ names: ClaimNames, areNames: Bool) -> ClaimFinding {
        var terms = [root]
        var isWhole = true
        for (position, step) in steps.enumerated() {
            if areNames, terms.count == 1, case .literal(let literal) = terms[0], literal.datatype == RDF.json {
                guard isWhole, let json = try? JSON.parse(Array(literal.value.utf8)) else {
                    return .unknown("the holder chooses what to show")
                }
                return SignedText(json).read(Array(steps[position...]), in: .ldpVC)
            }
            if areNames, let index = ClaimIndex(step)?.value {
                guard isWhole, terms.count == 1, let elements = list(at: terms[0]) else {
                    return .unknown("an index reads ordered lists only")
                }
                guard elements.indices.contains(index) else { return .absent }
                terms = [elements[index]]
                continue
            }
            if areNames, step == "id" || step == "@id" {
                terms = terms.filter { $0.iri != nil }
                if terms.isEmpty { return isWhole ? .absent : .unknown("the holder chooses what to show") }
                continue
            }
            let properties: Set<Text>
            switch step {
            case _ where !areNames: properties = [step]
            case "type", "@type": properties = [RDF.type]
            default:
                switch names.meaning(of: step) {
                case .properties(let iris): properties = iris
                case .unknown(let why): return .unknown(why)
                }
            }
            var found: [Term] = []
            var seen: Set<Term> = []
            var (stated, isOpen) = (0, false)
            for property in properties {
                let values = terms.flatMap { self.values(of: property, at: $0) }
                if !values.isEmpty { stated += 1 }
                for value in values where seen.insert(value).inserted { found.append(value) }
                if mandatory != nil, !terms.allSatisfy({ isComplete(property, at: $0) }) {
                    isWhole = false
                    isOpen = true
                }
            }
            // Of several meanings one that is withheld may be stated, too.
            if isOpen, properties.count > 1 { return .unknown("the holder chooses what to show") }
            guard stated <= 1 else {
                return .unknown("contexts give this name several meanings, and more than one is stated: name contexts")
            }
            guard !found.isEmpty else {
                if areNames, terms.contains(where: isList) { return .unknown("a list is read by an index") }
                return isWhole && !terms.contains(where: isGraph)
                    ? .absent : .unknown("the holder chooses what to show")
            }
            terms = found
        }
        return .value(value(of: terms, isWhole: isWhole, names))
    }

    private func value(of terms: [Term], isWhole: Bool, _ names: ClaimNames) -> ClaimValue {
        func value(_ term: Term) -> ClaimValue { ClaimValue(term, names: names.names) }
        var values = terms.map(value)
        if terms.count == 1, let elements = list(at: terms[0]) {
            // A list within a list is no value to compare.
            values = elements.map { list(at: $0) == nil ? value($0) : .other }
            return .list(isWhole ? values : values + [.hidden])
        }
        if !isWhole { values.append(.hidden) }
        return values.count == 1 ? values[0] : .list(values)
    }

    /// Whether an ordered list, or what is shown of one, begins with a node.
    private func isList(_ node: Term) -> Bool { !values(of: RDF.rest, at: node).isEmpty }

    /// The elements of an ordered list (RDF 1.1 Semantics section D.2) that begins with a node; nil where none does, or it is
    /// not one whole list.
    private func list(at node: Term) -> [Term]? {
        if node == .iri(RDF.nil) { return [] }
        guard case .blank = node, !values(of: RDF.rest, at: node).isEmpty else { return nil }
        var (elements, cell, seen): ([Term], Term, Set<Term>) = ([], node, [])
        while cell != .iri(RDF.nil) {
            let (first, rest) = (values(of: RDF.first, at: cell), values(of: RDF.rest, at: cell))
            guard first.count == 1, rest.count == 1, seen.insert(cell).inserted else { return nil }
            elements.append(first[0])
            cell = rest[0]
        }
        return elements
    }
}
