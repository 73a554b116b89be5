import Encoding
import Synchronization

/// Contexts that were processed before. Each entry is a function of its key and the pinned documents, and an expansion pays
/// for it as if it had made it, so sharing it changes the time of an expansion and nothing else.
///
/// What a stranger can write is not kept: only pinned contexts, known ones, and the scoped contexts inside these.
final class ContextCache: Sendable {
    /// What determines a processed context.
    struct Key: Hashable, Sendable {
        /// The context below; kept alive by the entry.
        let parent: ObjectIdentifier
        let local: Local
        let manner: ContextProcessor.Manner
        let mode: Options.ProcessingMode
    }

    /// The context on top.
    enum Local: Hashable, Sendable {
        /// `@context` of a document.
        case document(JSON)
        /// One of those that is known: it stands in many documents and is hashed and compared in no time.
        case known(KnownObject)
        /// The scoped context of a definition; kept alive by the context below.
        case scoped(ObjectIdentifier)

        /// A context of a document.
        init(_ context: JSON) {
            self = context.object?.known.map(Local.known) ?? .document(context)
        }

        /// Whether the cache may keep it: a context of one document alone is worth nothing to the next.
        var isShared: Bool {
            switch self {
            case .document(let context): context.object == nil
            case .known, .scoped: true
            }
        }

        /// Bytes of text that an entry keeps.
        var size: Int { if case .known(let object) = self { object.size } else { 0 } }
    }

    struct Entry: Sendable {
        let parent: ActiveContext
        let result: ActiveContext
        /// Term definitions that had to be made and contexts that had to be read and loaded for it.
        let work: Int
        /// Bytes that it takes beyond the context below, about.
        let size: Int
    }

    typealias Table = [Key: Entry]

    private struct State {
        var table: Table = [:]
        var weight = 0
    }

    /// The context without base that every expansion for a signature starts from.
    let initial = ActiveContext(ActiveContext.State(), isShared: true)
    private let state = Mutex(State())
    /// Term definitions kept: far more than every combination of types and scopes that pinned contexts meet in practice. Each
    /// entry counts as one more, and so do each 64 bytes of text.
    private static let capacity = 20_000
    /// Definitions of one context that is worth keeping. Only a context inside a credential can have more than this.
    static let largest = 2_000

    /// What is known now.
    var snapshot: Table { state.withLock { $0.table } }

    /// Keeps what an expansion has found out; starts anew when there is no room, as contexts inside credentials could fill it.
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

/// The contexts of one expansion: known ones from the cache, the others processed once.
struct ContextSource {
    private let cache: ContextCache
    private let known: ContextCache.Table
    /// The contexts of this document, each paid for once, whether it was known or not.
    private var used: ContextCache.Table = [:]
    /// Those of them that the cache does not have and may keep.
    private var found: ContextCache.Table = [:]
    private var processor: ContextProcessor
    private let base: Text?
    /// Bytes that further contexts of this document may take.
    private var room: Int

    init(cache: ContextCache, processor: ContextProcessor, base: Text?) {
        self.cache = cache
        self.processor = processor
        self.base = base
        room = processor.limits.contextBytes
        known = cache.snapshot
    }

    /// Hands what was found to the cache.
    func finish() { cache.merge(found) }

    /// The context to begin with: `base`, then `expandContext`.
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

    /// `active` under a context that stands in the document.
    ///
    /// The elements of an array are applied one by one, so that an inline context does not hide known ones beside it.
    mutating func apply(_ context: JSON, on active: ActiveContext) throws(JSONLDError) -> ActiveContext {
        guard case .array(let elements) = context else {
            return try resolve(ContextCache.Local(context), context, on: active, base: base, manner: .init())
        }
        guard elements.count <= processor.limits.contexts else { throw JSONLDError(.contextOverflow) }
        var result = active
        for element in elements {
            // Arrays do not nest (section 4.1.2, step 5).
            if case .array = element { throw JSONLDError(.invalidLocalContext) }
            result = try resolve(
                ContextCache.Local(element), element, on: result, base: base, manner: .init(isElement: true))
        }
        return result
    }

    /// `active` under the scoped context of `definition`, or unchanged when it has none.
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
