import Encoding
import Synchronization

/// A cache of processed contexts. A cached context depends only on its key and on the pinned documents. An expansion
/// that takes a context from the cache is charged the work of making that context. The cache therefore affects only the
/// time of an expansion.
///
/// The cache keeps only pinned contexts, known contexts and the scoped contexts inside these. A stranger can write any
/// other context.
final class ContextCache: Sendable {
    /// The values on which a processed context depends.
    struct Key: Hashable, Sendable {
        /// The context to which the local context is applied. The entry keeps the parent alive, so its identity stays
        /// unique.
        let parent: ObjectIdentifier
        let local: Local
        let manner: ContextProcessor.Manner
        let mode: Options.ProcessingMode
    }

    /// The local context that is applied.
    enum Local: Hashable, Sendable {
        /// A `@context` value in a document.
        case document(JSON)
        /// A known context. Many documents contain it, and hashing and comparing it is cheap.
        case known(KnownObject)
        /// The scoped context of a term definition. The parent context keeps the definition alive.
        case scoped(ObjectIdentifier)

        /// Creates the key for a context in a document.
        init(_ context: JSON) {
            self = context.object?.known.map(Local.known) ?? .document(context)
        }

        /// Whether the cache may keep the entry. The context of a single document is useless for the next document.
        var isShared: Bool {
            switch self {
            case .document(let context): context.object == nil
            case .known, .scoped: true
            }
        }

        /// The number of bytes of text that an entry keeps.
        var size: Int { if case .known(let object) = self { object.size } else { 0 } }
    }

    struct Entry: Sendable {
        let parent: ActiveContext
        let result: ActiveContext
        /// The work of making the context: the number of term definitions made, contexts read and contexts loaded.
        let work: Int
        /// The approximate size of the context in bytes, its parent excluded.
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
    /// The maximum number of cached term definitions, far more than all combinations of types and scopes of pinned
    /// contexts need in practice. An entry counts as one additional definition, and so do each 64 bytes of text.
    private static let capacity = 20_000
    /// The maximum work of a cached context. Only a context inside a credential can exceed this maximum.
    static let largest = 2_000

    /// The present content of the cache.
    var snapshot: Table { state.withLock { $0.table } }

    /// Adds the contexts that an expansion made. A cache without room is emptied first: contexts inside credentials may
    /// have filled it.
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

/// The contexts of one expansion. Known contexts come from the cache. Any other context is processed once.
struct ContextSource {
    private let cache: ContextCache
    private let known: ContextCache.Table
    /// The contexts of this document. Each context counts towards the limits once, cached or not.
    private var used: ContextCache.Table = [:]
    /// The contexts of this document that are not in the cache yet but that the cache may keep.
    private var found: ContextCache.Table = [:]
    private var processor: ContextProcessor
    private let base: Text?
    /// The number of bytes that further contexts of this document may use.
    private var room: Int

    init(cache: ContextCache, processor: ContextProcessor, base: Text?) {
        self.cache = cache
        self.processor = processor
        self.base = base
        room = processor.limits.contextBytes
        known = cache.snapshot
    }

    /// Adds the contexts that this expansion made to the cache.
    func finish() { cache.merge(found) }

    /// Returns the initial context: `base`, then `expandContext`.
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

    /// Applies a context of the document to `active`.
    ///
    /// The elements of an array are applied one by one, so that a known context next to an inline context still comes
    /// from the cache.
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

    /// Applies the scoped context of `definition` to `active`. Returns `active` if there is no scoped context.
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
