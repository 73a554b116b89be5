import Encoding

/// Determines when to fetch messages from a mediator, and keeps track of the messages that are not durable at
/// the gate yet.
///
/// No more messages are requested before all that were handed over are durable: a crash affects few messages,
/// and a flood is no faster than the disk.
struct MediatorInbox: Sendable {
    private let limits: Mediator.Limits
    /// Ids of messages that were handed over and are not applied yet.
    private var open: Set<Text> = []
    /// Ids of applied messages, to be confirmed to a mediator that keeps messages until then.
    private(set) var safe: [Text] = []
    /// The last ids that were confirmed, to recognise repetitions.
    private var told: [Text] = []
    /// The number of consecutive fetches that returned no message.
    private var empty = 0
    /// The number of messages fetched since the last empty fetch.
    private var row = 0
    private var dueAt: Instant? = .zero

    /// The maximum number of messages in one request. It is one after an answer that did not arrive
    /// completely, because the answer may have been too large.
    private(set) var batch: Int

    init(_ limits: Mediator.Limits) {
        self.limits = limits
        batch = limits.batch
    }

    /// When to fetch; nil while messages that were handed over are not applied.
    var deadline: Instant? { open.isEmpty ? dueAt : nil }

    /// Returns whether to fetch now.
    func isDue(at now: Instant) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Makes a fetch due now: a message may wait.
    mutating func wake(at now: Instant) {
        if row < limits.burst { dueAt = min(dueAt ?? now, now) }
    }

    /// Records that a fetch began. The next fetch is due after its end.
    mutating func began() { dueAt = nil }

    /// Records that a fetch failed. The next fetch is due after ``Mediator/Limits/idle``.
    mutating func failed(at now: Instant) { dueAt = now.advanced(by: limits.idle) }

    /// Records that a delivery did not arrive.
    mutating func deliveryFailed(at now: Instant) {
        batch = 1
        failed(at: now)
    }

    /// Records the end of a fetch. `patience`: the number of consecutive empty fetches after which the search
    /// ends.
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

    /// Takes delivered messages. Returns those to be handed over. A message that was confirmed before is
    /// confirmed again.
    mutating func take(_ items: [Pickup.Item]) -> [Pickup.Item] {
        safe += items.map(\.uid).filter { told.contains($0) && !safe.contains($0) }
        let new = items.filter { !told.contains($0.uid) && !open.contains($0.uid) && !safe.contains($0.uid) }
        open.formUnion(new.map(\.uid))
        return new
    }

    /// Records that these messages are durable now.
    mutating func applied(_ uids: [Text], at now: Instant) {
        for uid in uids where open.remove(uid) != nil { safe.append(uid) }
    }

    /// The ids of messages to confirm next; empty if no message is to be confirmed. The same ids are
    /// confirmed again if the mediator does not answer.
    var next: [Text] { open.isEmpty ? Array(safe.prefix(limits.batch)) : [] }

    /// Records that the mediator knows of these confirmations.
    mutating func toldOf(_ uids: [Text]) {
        safe.removeAll { uids.contains($0) }
        told = (told + uids).suffix(256)
    }
}
