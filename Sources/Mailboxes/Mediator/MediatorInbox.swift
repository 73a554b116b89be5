import Encoding

/// Decides when messages are fetched from a mediator, and records which messages are not durable at the gate yet.
///
/// No messages are requested while messages that were passed to connections are not durable. So a crash affects few
/// messages, and many messages arrive no faster than the gate can store them.
struct MediatorInbox: Sendable {
    private let limits: Mediator.Limits
    /// The ids of messages that were passed to connections and are not durable yet.
    private var open: Set<Text> = []
    /// The ids of messages that are durable and not yet confirmed to the mediator.
    private(set) var safe: [Text] = []
    /// The ids of the last messages that were confirmed to the mediator, to recognise repetitions.
    private var told: [Text] = []
    /// The number of fetches in a row that returned no message.
    private var empty = 0
    /// The number of messages fetched since the last empty fetch.
    private var row = 0
    private var dueAt: Instant? = .zero

    /// The largest number of messages that the next request asks for. It is one after an answer that did not arrive,
    /// because that answer may have been too large.
    private(set) var batch: Int

    init(_ limits: Mediator.Limits) {
        self.limits = limits
        batch = limits.batch
    }

    /// When messages are fetched next; nil while messages that were passed to connections are not durable.
    var deadline: Instant? { open.isEmpty ? dueAt : nil }

    /// Returns whether messages must be fetched at `now`.
    func isDue(at now: Instant) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Makes a fetch due at `now`, because a message may be waiting.
    mutating func wake(at now: Instant) {
        if row < limits.burst { dueAt = min(dueAt ?? now, now) }
    }

    /// Records that a fetch has begun. The end of the fetch determines when the next is due.
    mutating func began() { dueAt = nil }

    /// Records that a fetch failed. The next fetch is due after ``Mediator/Limits/idle``.
    mutating func failed(at now: Instant) { dueAt = now.advanced(by: limits.idle) }

    /// Records that the answer with the messages did not arrive.
    mutating func deliveryFailed(at now: Instant) {
        batch = 1
        failed(at: now)
    }

    /// Records that a fetch returned `found` messages. `patience`: after this number of empty fetches in a row the next
    /// fetch waits for ``Mediator/Limits/idle``.
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

    /// Handles delivered messages. Returns those that must be passed to connections. A message that was confirmed
    /// before is confirmed to the mediator again.
    mutating func take(_ items: [Pickup.Item]) -> [Pickup.Item] {
        safe += items.map(\.uid).filter { told.contains($0) && !safe.contains($0) }
        let new = items.filter { !told.contains($0.uid) && !open.contains($0.uid) && !safe.contains($0.uid) }
        open.formUnion(new.map(\.uid))
        return new
    }

    /// Records that the messages with the ids `uids` are durable.
    mutating func applied(_ uids: [Text], at now: Instant) {
        for uid in uids where open.remove(uid) != nil { safe.append(uid) }
    }

    /// The ids of the messages to confirm to the mediator next; empty if there are none. The ids stay until
    /// ``toldOf(_:)``, so they are confirmed again if the mediator does not answer.
    var next: [Text] { open.isEmpty ? Array(safe.prefix(limits.batch)) : [] }

    /// Records that the mediator knows that the messages with the ids `uids` are durable.
    mutating func toldOf(_ uids: [Text]) {
        safe.removeAll { uids.contains($0) }
        told = (told + uids).suffix(256)
    }
}
