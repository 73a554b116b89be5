import Encoding

/// Writes expanded items as quads (JSON-LD 1.1 API sections 7.2 and 8.1).
///
/// The recommendation first merges all objects of a node in a node map, and then converts the map to triples. A dataset
/// is a set, so converting each object by itself results in the same quads.
struct QuadWriter {
    private(set) var quads: [Quad] = []
    private let direction: RDFDirection?
    private let limit: Int
    private var graphsLeft: Int
    private var powersLeft: Int
    private var labels: [Text: Text] = [:]
    private var issued = 0
    /// The `@index` of each node, by graph and node. Two different ones are an error.
    private var indexes: [[Term?]: Text] = [:]
    /// The nodes with an id that at least one object has described, by graph.
    private var described: Set<[Term?]> = []
    /// The expanded ids of the nodes that several objects of one graph describe.
    private(set) var repeatedNodes: Set<Text> = []

    init(direction: RDFDirection?, limits: JSONLDProcessor.Limits) {
        self.direction = direction
        limit = limits.quads
        graphsLeft = limits.graphs
        powersLeft = limits.powers
    }

    /// Writes the items of a document into the default graph. Returns the outermost nodes that RDF can name.
    mutating func write(_ items: [ExpandedItem]) throws(JSONLDError) -> [Term] {
        try write(items, in: .named(nil))
    }

    /// The graph into which quads are written. ``nowhere``: RDF cannot name the graph, so its quads are dropped.
    private enum Destination {
        case named(Term?)
        case nowhere
    }

    @discardableResult
    private mutating func write(_ items: [ExpandedItem], in graph: Destination) throws(JSONLDError) -> [Term] {
        var nodes: [Term] = []
        for item in items {
            guard case .node(let node) = item, let term = try write(node, in: graph) else { continue }
            nodes.append(term)
        }
        return nodes
    }

    private mutating func emit(
        _ subject: Term?, _ predicate: Text, _ object: Term?, _ graph: Destination
    ) throws(JSONLDError) {
        guard let subject, let object, case .named(let name) = graph else { return }
        guard quads.count < limit else { throw JSONLDError(.limitExceeded, detail: "quads") }
        quads.append(Quad(subject, predicate, object, in: name))
    }

    /// Writes the statements of a node object. Returns the node as an RDF term; nil if RDF cannot name it.
    private mutating func write(_ node: ExpandedNode, in graph: Destination) throws(JSONLDError) -> Term? {
        let subject = name(of: node)
        try checkIndex(node, subject, graph)
        noteDescription(of: node, subject, graph)
        for type in node.types ?? [] {
            guard let type else { continue }
            try emit(subject, RDF.type, resource(type), graph)
        }
        for entry in node.properties.entries {
            for item in entry.items {
                let object = try write(item, in: graph)
                if entry.isWellFormed { try emit(subject, entry.iri, object, graph) }
            }
        }
        for entry in node.reverse?.entries ?? [] {
            for item in entry.items {
                let object = try write(item, in: graph)
                if entry.isWellFormed { try emit(object, entry.iri, subject, graph) }
            }
        }
        if let contents = node.graph {
            graphsLeft -= 1
            guard graphsLeft >= 0 else { throw JSONLDError(.limitExceeded, detail: "graphs") }
            try write(contents, in: subject.map { .named($0) } ?? .nowhere)
        }
        if let included = node.included { try write(included, in: graph) }
        return subject
    }

    private mutating func write(_ item: ExpandedItem, in graph: Destination) throws(JSONLDError) -> Term? {
        switch item {
        case .node(let node): try write(node, in: graph)
        case .value(let value): try literal(value, graph)
        case .list(let items, _): try write(list: items, in: graph)
        }
    }

    /// Converts a list (section 8.3). If RDF cannot name an element, its list cell has no `rdf:first`.
    private mutating func write(list items: [ExpandedItem], in graph: Destination) throws(JSONLDError) -> Term {
        guard !items.isEmpty else { return .iri(RDF.nil) }
        let cells = items.map { _ in freshBlank() }
        for (index, item) in items.enumerated() {
            try emit(cells[index], RDF.first, try write(item, in: graph), graph)
            let rest = index + 1 < cells.count ? cells[index + 1] : .iri(RDF.nil)
            try emit(cells[index], RDF.rest, rest, graph)
        }
        return cells[0]
    }

    private mutating func name(of node: ExpandedNode) -> Term? {
        guard let id = node.id else { return freshBlank() }
        return id.flatMap { resource($0) }
    }

    private mutating func resource(_ id: Text) -> Term? {
        if id.hasPrefix("_:") {
            if let label = labels[id] { return .blank(label) }
            let label = freshLabel()
            labels[id] = label
            return .blank(label)
        }
        return IRI.isWellFormed(id) ? .iri(id) : nil
    }

    private mutating func freshBlank() -> Term { .blank(freshLabel()) }

    private mutating func freshLabel() -> Text {
        defer { issued += 1 }
        return Text("b\(issued)")
    }

    private mutating func checkIndex(
        _ node: ExpandedNode, _ subject: Term?, _ graph: Destination
    ) throws(JSONLDError) {
        guard let index = node.index, let subject, case .named(let name) = graph else { return }
        let old = indexes.updateValue(index, forKey: [name, subject])
        if let old, old != index { throw JSONLDError(.conflictingIndexes) }
    }

    /// Adds the id of `node` to ``repeatedNodes`` if another object has described the node in the same graph.
    private mutating func noteDescription(of node: ExpandedNode, _ subject: Term?, _ graph: Destination) {
        guard let subject, let id = node.id ?? nil, !node.isReference, case .named(let name) = graph else { return }
        if !described.insert([name, subject]).inserted { repeatedNodes.insert(id) }
    }

    /// Returns a value object as an RDF term (section 8.2); nil if RDF has no such literal.
    private mutating func literal(_ value: ExpandedValue, _ graph: Destination) throws(JSONLDError) -> Term? {
        if let type = value.type, type != Keyword.json.text, !IRI.isWellFormed(type) { return nil }
        if let language = value.language, !LanguageTag.isWellFormed(language) { return nil }
        if value.type == Keyword.json.text { return try jsonLiteral(value.value) }
        switch value.value {
        case .bool(let flag):
            return .literal(Literal(flag ? "true" : "false", datatype: value.type ?? XSD.boolean))
        case .number(let number):
            let (text, isDouble) = RDFNumber.text(number, asDouble: value.type == XSD.double)
            if isDouble {
                powersLeft -= RDFNumber.powers(of: number.double)
                guard powersLeft > 0 else { throw JSONLDError(.limitExceeded, detail: "numbers") }
            }
            return .literal(Literal(Text(text), datatype: value.type ?? (isDouble ? XSD.double : XSD.integer)))
        case .string(let text):
            return try string(text, value, graph)
        case .null, .array, .object:
            return nil
        }
    }

    private func jsonLiteral(_ value: JSON) throws(JSONLDError) -> Term {
        do {
            let bytes = try value.canonicalized()
            return .literal(Literal(Text(String(decoding: bytes, as: UTF8.self)), datatype: RDF.json))
        } catch {
            throw JSONLDError(.invalidJSONLiteral)
        }
    }

    private mutating func string(
        _ text: Text, _ value: ExpandedValue, _ graph: Destination
    ) throws(JSONLDError) -> Term {
        if let side = value.direction, let direction {
            let language = value.language.map { Text($0.string.lowercased()) }
            switch direction {
            case .i18nDatatype:
                let datatype = RDF.i18n.string + (language?.string ?? "") + "_" + side.rawValue
                return .literal(Literal(text, datatype: Text(datatype)))
            case .compoundLiteral:
                let node = freshBlank()
                try emit(node, RDF.value, .literal(Literal(text)), graph)
                if let language { try emit(node, RDF.language, .literal(Literal(language)), graph) }
                try emit(node, RDF.direction, .literal(Literal(Text(side.rawValue))), graph)
                return node
            }
        }
        if let language = value.language {
            return .literal(Literal(text, datatype: RDF.langString, language: language))
        }
        return .literal(Literal(text, datatype: value.type ?? XSD.string))
    }
}
