import Encoding
import Synchronization

/// A cache of processed contexts. A cached context depends only on its key and on the pinned documents. An expansion
/// that uses a cached context counts the work of making it. So the cache changes only the time of an expansion, not its
/// result.
///
/// The cache stores only pinned contexts, known contexts (``KnownContexts``) and the scoped contexts inside them. Any
/// other context may be written by a stranger, who could fill the cache.
final class ContextCache: Sendable {
    /// The values on which a processed context depends.
    struct Key: Hashable, Sendable {
        /// The identity of the active context to which the local context is applied. The cache entry keeps a reference
        /// to that context, so no other object can have the same identity.
        let parent: ObjectIdentifier
        let local: Local
        let manner: ContextProcessor.Manner
        let mode: Options.ProcessingMode
    }

    /// The local context that is applied.
    enum Local: Hashable, Sendable {
        /// The value of `@context` in a document.
        case document(JSON)
        /// A known context (``KnownContexts``). It occurs in many documents, and it is cheap to hash and to compare.
        case known(KnownObject)
        /// The identity of a term definition with a scoped context. The parent context keeps a reference to the
        /// definition.
        case scoped(ObjectIdentifier)

        /// Creates the key for the context `context` of a document.
        init(_ context: JSON) {
            self = context.object?.known.map(Local.known) ?? .document(context)
        }

        /// Whether the cache may store the entry. It stores no context that only one document contains.
        var isShared: Bool {
            switch self {
            case .document(let context): context.object == nil
            case .known, .scoped: true
            }
        }

        /// The number of bytes of text that a cache entry for this context keeps in memory.
        var size: Int { if case .known(let object) = self { object.size } else { 0 } }
    }

    struct Entry: Sendable {
        let parent: ActiveContext
        let result: ActiveContext
        /// The work of making the context, in the unit of ``ContextProcessor/work``.
        let work: Int
        /// The approximate size of the context in bytes, without its parent.
        let size: Int
    }

    typealias Table = [Key: Entry]

    private struct State {
        var table: Table = [:]
        var weight = 0
    }

    /// The context without a base IRI, from which every expansion for a signature starts.
    let initial = ActiveContext(ActiveContext.State(), isShared: true)
    private let state = Mutex(State())
    /// The largest weight of the cache, far above what the pinned contexts need in practice. The weight of an entry is
    /// its work, plus one, plus one for each 64 bytes of text.
    private static let capacity = 20_000
    /// The largest work of a context that is cached. Only a context inside a credential can need more.
    static let largest = 2_000

    /// All entries of the cache.
    var snapshot: Table { state.withLock { $0.table } }

    /// Adds the contexts that an expansion has made. If they do not fit, the cache is emptied first, because contexts
    /// inside credentials may have filled it.
    func merge(_ found: Table) {
        guard !found.isEmpty else { return }
        let weight = found.reduce(0) { $0 + $1.value.work + 1 + $1.key.local.size / 64 }
        guard weight <= Self.capacity else { return }
        state.withLock { state in
            if state.weight + weight > Self.capacity { state = State() }
            state.table.merge(found) { old, _ in old }
            state.weight += weight
        }
    }
}

/// The source of active contexts for one expansion. Shared contexts come from the cache. Each other context is
/// processed once.
struct ContextSource {
    private let cache: ContextCache
    private let known: ContextCache.Table
    /// The contexts that this document has used. Each counts towards the limits once, whether it was cached or not.
    private var used: ContextCache.Table = [:]
    /// The contexts of this document that the cache does not contain but may store.
    private var found: ContextCache.Table = [:]
    private var processor: ContextProcessor
    private let base: Text?
    /// The number of bytes that further contexts of this document may use. When it is exceeded, the expansion fails.
    private var room: Int

    init(cache: ContextCache, processor: ContextProcessor, base: Text?) {
        self.cache = cache
        self.processor = processor
        self.base = base
        room = processor.limits.contextBytes
        known = cache.snapshot
    }

    /// Adds the contexts that this expansion has made to the cache.
    func finish() { cache.merge(found) }

    /// Returns the context with which a document begins: the base IRI and then `expandContext` of the options.
    mutating func initial(_ options: Options) throws(JSONLDError) -> ActiveContext {
        var active = cache.initial
        if let base = options.base {
            var state = active.state
            state.base = base
            state.originalBase = base
            active = ActiveContext(state, isShared: false)
        }
        guard let context = options.expandContext else { return active }
        return try apply(context[Keyword.context.text] ?? context, on: active)
    }

    /// Returns the result of applying a context of the document to `active`.
    ///
    /// The elements of an array are applied one after another, so that a known context in the array comes from the
    /// cache even if another element does not.
    mutating func apply(_ context: JSON, on active: ActiveContext) throws(JSONLDError) -> ActiveContext {
        guard case .array(let elements) = context else {
            return try resolve(ContextCache.Local(context), context, on: active, base: base, manner: .init())
        }
        guard elements.count <= processor.limits.contexts else { throw JSONLDError(.contextOverflow) }
        var result = active
        for element in elements {
            // An array inside an array is invalid (section 4.1.2, step 5).
            if case .array = element { throw JSONLDError(.invalidLocalContext) }
            result = try resolve(
                ContextCache.Local(element), element, on: result, base: base, manner: .init(isElement: true))
        }
        return result
    }

    /// Returns the result of applying the scoped context of `definition` to `active`; `active` if there is no scoped
    /// context.
    mutating func apply(
        scopeOf definition: TermDefinition, on active: ActiveContext, overrideProtected: Bool = false,
        propagate: Bool = true
    ) throws(JSONLDError) -> ActiveContext {
        guard let context = definition.fields.context else { return active }
        let manner = ContextProcessor.Manner(overrideProtected: overrideProtected, propagate: propagate)
        return try resolve(
            .scoped(ObjectIdentifier(definition)), context.value, on: active, base: context.base, manner: manner)
    }

    private mutating func resolve(
        _ local: ContextCache.Local, _ context: JSON, on active: ActiveContext, base: Text?,
        manner: ContextProcessor.Manner
    ) throws(JSONLDError) -> ActiveContext {
        let key = ContextCache.Key(
            parent: ObjectIdentifier(active), local: local, manner: manner, mode: processor.mode)
        if let entry = used[key] { return entry.result }
        if active.isShared, let entry = known[key] {
            try processor.countWork(entry.work)
            try take(entry.size)
            used[key] = entry
            return entry.result
        }
        let before = processor.work
        let state = try processor.process(context, on: active, base: base, manner: manner)
        let work = processor.work - before
        let size = state.size(beyond: active.state)
        try take(size)
        let isShared = active.isShared && local.isShared && work <= ContextCache.largest
        let result = ActiveContext(state, isShared: isShared)
        let entry = ContextCache.Entry(parent: active, result: result, work: work, size: size)
        used[key] = entry
        if isShared { found[key] = entry }
        return result
    }

    private mutating func take(_ bytes: Int) throws(JSONLDError) {
        room -= bytes
        guard room >= 0 else { throw JSONLDError(.contextOverflow) }
    }
}
