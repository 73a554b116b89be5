import Encoding

/// Makes active contexts from local contexts (JSON-LD 1.1 API section 4.1). Uses only pinned documents.
struct ContextProcessor {
    let documents: ContextDocuments
    let mode: Options.ProcessingMode
    let limits: JSONLDProcessor.Limits
    /// The standard names of properties and types (``JSONLDProcessor/standardNames``).
    let standardNames: StandardNames
    /// The work so far: the number of term definitions made, contexts read and documents loaded. It measures what a
    /// context inside a document costs.
    private(set) var work = 0
    /// The number of unfinished definitions. A definition is unfinished while a term that it names is being defined, or
    /// while its scoped context is being checked.
    private var unfinished = 0

    init(
        documents: ContextDocuments, mode: Options.ProcessingMode, limits: JSONLDProcessor.Limits,
        standardNames: StandardNames
    ) {
        self.documents = documents
        self.mode = mode
        self.limits = limits
        self.standardNames = standardNames
    }

    /// The options for applying a local context to the active context.
    struct Manner: Hashable, Sendable {
        var overrideProtected = false
        var propagate = true
        /// Whether scoped contexts inside the local context are checked by processing them. False while a scoped
        /// context is being checked.
        var validateScoped = true
        /// Whether the local context is an element of an array. If so, its `@propagate` has no effect (JSON-LD 1.1 API
        /// section 4.1.2, step 3).
        var isElement = false
    }

    /// Returns the context that results from applying `local` to `active`.
    ///
    /// - Parameter base: The URL of the document that contains `local`. Relative context URLs are resolved against this
    ///   URL.
    mutating func process(
        _ local: JSON, on active: ActiveContext, base: Text?, manner: Manner
    ) throws(JSONLDError) -> ActiveContext.State {
        var result = active.state
        try extend(&result, by: local, active: active, base: base, remote: [], manner: manner)
        result.terms.flatten()
        return result
    }

    /// Applies the local context `local` to `result`, a context that is being made (the context processing algorithm).
    mutating func extend(
        _ result: inout ActiveContext.State, by local: JSON, active: ActiveContext?, base: Text?, remote: [Text],
        manner: Manner
    ) throws(JSONLDError) {
        var propagate = manner.propagate
        if !manner.isElement, let value = local[Keyword.propagate.text]?.bool { propagate = value }
        if !propagate, result.previous == nil {
            result.previous = active ?? ActiveContext(result, isShared: false)
        }
        if case .array(let contexts) = local {
            guard contexts.count <= limits.contexts else { throw JSONLDError(.contextOverflow) }
            for context in contexts {
                try extend(&result, byOne: context, propagate: propagate, base: base, remote: remote, manner: manner)
            }
        } else {
            try extend(&result, byOne: local, propagate: propagate, base: base, remote: remote, manner: manner)
        }
    }

    private mutating func extend(
        _ result: inout ActiveContext.State, byOne context: JSON, propagate: Bool, base: Text?, remote: [Text],
        manner: Manner
    ) throws(JSONLDError) {
        // Empty contexts are counted, too, because a scoped context is processed again at each use of its term. Loaded
        // contexts are counted in `load`.
        if remote.isEmpty, context.string == nil { try countWork() }
        switch context {
        case .null:
            if !manner.overrideProtected, result.terms.hasProtected {
                throw JSONLDError(.invalidContextNullification)
            }
            var fresh = ActiveContext.State()
            fresh.base = result.originalBase
            fresh.originalBase = result.originalBase
            if !propagate { fresh.previous = result.previous }
            result = fresh
        case .string(let reference):
            try load(reference, into: &result, base: base, remote: remote, manner: manner)
        case .object(let definition):
            try apply(definition, to: &result, base: base, remote: remote, manner: manner)
        default:
            throw JSONLDError(.invalidLocalContext)
        }
    }

    private mutating func load(
        _ reference: Text, into result: inout ActiveContext.State, base: Text?, remote: [Text], manner: Manner
    ) throws(JSONLDError) {
        let url = base.map { IRI.resolve(reference, against: $0) } ?? reference
        if !manner.validateScoped, remote.contains(url) { return }
        guard remote.count < limits.contexts else { throw JSONLDError(.contextOverflow, url: url) }
        try countWork()
        guard let loaded = try document(at: url)[Keyword.context.text] else {
            throw JSONLDError(.invalidRemoteContext, url: url)
        }
        var inner = manner
        (inner.propagate, inner.isElement) = (true, false)
        try extend(&result, by: loaded, active: nil, base: url, remote: remote + [url], manner: inner)
    }

    private func document(at url: Text) throws(JSONLDError) -> JSON {
        guard let document = documents.documents[url] else {
            throw JSONLDError(.loadingRemoteContextFailed, url: url)
        }
        guard document.object != nil else { throw JSONLDError(.invalidRemoteContext, url: url) }
        return document
    }

    private mutating func apply(
        _ definition: JSONObject, to result: inout ActiveContext.State, base: Text?, remote: [Text], manner: Manner
    ) throws(JSONLDError) {
        try checkVersion(definition)
        let context = try withImport(definition, base: base)
        if let value = context[Keyword.base.text], remote.isEmpty { result.base = try newBase(value, result.base) }
        if let value = context[Keyword.vocab.text] { result.vocabulary = try newVocabulary(value, result) }
        if let value = context[Keyword.language.text] {
            guard value.isNull || value.string != nil else { throw JSONLDError(.invalidDefaultLanguage) }
            result.language = value.string
        }
        if let value = context[Keyword.direction.text] {
            try refuse(in: .v1_0, .invalidContextEntry, "@direction")
            let direction = Direction(value)
            guard value.isNull || direction != nil else { throw JSONLDError(.invalidBaseDirection) }
            result.direction = direction
        }
        if let value = context[Keyword.propagate.text] {
            try refuse(in: .v1_0, .invalidContextEntry, "@propagate")
            guard value.bool != nil else { throw JSONLDError(.invalidPropagateValue) }
        }
        var isProtected = false
        if let value = context[Keyword.protected.text] {
            guard let flag = value.bool else { throw JSONLDError(.invalidProtectedValue) }
            isProtected = flag
        }
        var creation = TermCreation(
            local: context, base: base, isProtected: isProtected, remote: remote, manner: manner)
        for member in context.members {
            switch Keyword(member.name) {
            case .base, .direction, .import, .language, .propagate, .protected, .version, .vocab: continue
            default: try define(member.name, in: &result, &creation)
            }
        }
    }

    /// Adds `units` to the work of this document. Throws if the work exceeds the limit.
    mutating func countWork(_ units: Int = 1) throws(JSONLDError) {
        work += units
        guard work <= limits.definitions else { throw JSONLDError(.contextOverflow) }
    }

    /// Counts the beginning of a term definition. Throws if too many definitions are unfinished, because each nesting
    /// level uses stack.
    mutating func beginDefinition() throws(JSONLDError) {
        guard unfinished < limits.definitionDepth else { throw JSONLDError(.contextOverflow) }
        unfinished += 1
    }

    mutating func endDefinition() { unfinished -= 1 }

    /// Throws if a term or IRI of a context is too long, because many long IRIs could be made from it and exhaust the
    /// memory.
    func checkLength(_ text: Text?) throws(JSONLDError) {
        guard let text, text.utf8.count > limits.iriLength else { return }
        throw JSONLDError(.limitExceeded, detail: "IRI length")
    }

    /// Throws the error `code` with `detail` if the processing mode is `mode`.
    func refuse(in mode: Options.ProcessingMode, _ code: JSONLDError.Code, _ detail: Text) throws(JSONLDError) {
        if self.mode == mode { throw JSONLDError(code, detail: detail) }
    }

    private func checkVersion(_ context: JSONObject) throws(JSONLDError) {
        guard let version = context[Keyword.version.text] else { return }
        guard let number = version.number, number.text.utf8.count < 32, number.double == 1.1 else {
            throw JSONLDError(.invalidVersionValue)
        }
        try refuse(in: .v1_0, .processingModeConflict, "@version")
    }

    /// Returns the members of `context` and those of the context that it imports. Members of `context` take precedence.
    private func withImport(_ context: JSONObject, base: Text?) throws(JSONLDError) -> JSONObject {
        guard let value = context[Keyword.import.text] else { return context }
        try refuse(in: .v1_0, .invalidContextEntry, "@import")
        guard let reference = value.string else { throw JSONLDError(.invalidImportValue) }
        let url = base.map { IRI.resolve(reference, against: $0) } ?? reference
        guard var imported = try document(at: url)[Keyword.context.text]?.object else {
            throw JSONLDError(.invalidRemoteContext, url: url)
        }
        if imported[Keyword.import.text] != nil { throw JSONLDError(.invalidContextEntry, detail: "@import", url: url) }
        for member in context.members { imported[member.name] = member.value }
        return imported
    }

    private func newBase(_ value: JSON, _ old: Text?) throws(JSONLDError) -> Text? {
        if value.isNull { return nil }
        guard let reference = value.string else { throw JSONLDError(.invalidBaseIRI) }
        try checkLength(reference)
        if IRI.hasScheme(reference) { return reference }
        guard let old else { throw JSONLDError(.invalidBaseIRI) }
        let base = IRI.resolve(reference, against: old)
        try checkLength(base)
        return base
    }

    private func newVocabulary(_ value: JSON, _ state: ActiveContext.State) throws(JSONLDError) -> Text? {
        if value.isNull { return nil }
        guard let text = value.string else { throw JSONLDError(.invalidVocabMapping) }
        guard case .iri(let iri) = state.expand(text, vocabulary: true, documentRelative: true) else {
            throw JSONLDError(.invalidVocabMapping)
        }
        try checkLength(iri)
        if mode == .v1_0, !IRI.hasScheme(iri), !iri.hasPrefix("_:") { throw JSONLDError(.invalidVocabMapping) }
        return iri
    }
}
