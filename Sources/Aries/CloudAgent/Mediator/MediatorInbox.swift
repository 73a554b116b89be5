import Encoding

/// When to look for messages at a mediator, and which of them are not safe here yet.
///
/// Nothing more is asked for before all that was handed over is durable: a crash meets few messages, and a flood goes no faster than
/// the disk.
struct MediatorInbox: Sendable {
    private let limits: Mediator.Limits
    /// Uids that were handed over and not applied.
    private var open: Set<Text> = []
    /// Applied, to be told to a mediator that keeps them until then.
    private(set) var safe: [Text] = []
    /// The last ones that were told, against repetition.
    private var told: [Text] = []
    /// Looks in a row that brought nothing.
    private var empty = 0
    /// Messages since a look brought nothing.
    private var row = 0
    private var dueAt: Instant? = .zero

    /// Messages to ask for at once: one, after an answer that did not come whole, for it may have been too large.
    private(set) var batch: Int

    init(_ limits: Mediator.Limits) {
        self.limits = limits
        batch = limits.batch
    }

    /// When to look; nil while what was handed over is not applied.
    var deadline: Instant? { open.isEmpty ? dueAt : nil }

    /// Whether to look now, or to tell what is safe.
    func isDue(at now: Instant) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Look at once: something may be there.
    mutating func wake(at now: Instant) {
        if row < limits.burst { dueAt = min(dueAt ?? now, now) }
    }

    /// A look was begun; the next one follows when that one has ended.
    mutating func began() { dueAt = nil }

    /// A look did not end well; the next one in a while.
    mutating func failed(at now: Instant) { dueAt = now.advanced(by: limits.idle) }

    /// No delivery came.
    mutating func deliveryFailed(at now: Instant) {
        batch = 1
        failed(at: now)
    }

    /// A look ended. `patience`: how many empty ones in a row end the search.
    mutating func looked(found: Int, patience: Int, at now: Instant) {
        batch = min(batch * 2, limits.batch)
        if found > 0 {
            (empty, row) = (0, row + found)
            dueAt = row < limits.burst ? now : now.advanced(by: limits.pace)
        } else {
            empty += 1
            row = 0
            dueAt = empty < patience ? now : now.advanced(by: limits.idle)
        }
    }

    /// Takes messages up; returns those to be handed over. What was told before is told again.
    mutating func take(_ items: [Pickup.Item]) -> [Pickup.Item] {
        safe += items.map(\.uid).filter { told.contains($0) && !safe.contains($0) }
        let new = items.filter { !told.contains($0.uid) && !open.contains($0.uid) && !safe.contains($0.uid) }
        open.formUnion(new.map(\.uid))
        return new
    }

    /// These are durable now.
    mutating func applied(_ uids: [Text], at now: Instant) {
        for uid in uids where open.remove(uid) != nil { safe.append(uid) }
    }

    /// What to tell next; empty when there is nothing. Told once more when nobody answers.
    var next: [Text] { open.isEmpty ? Array(safe.prefix(limits.batch)) : [] }

    /// The mediator took note.
    mutating func toldOf(_ uids: [Text]) {
        safe.removeAll { uids.contains($0) }
        told = (told + uids).suffix(256)
    }
}
