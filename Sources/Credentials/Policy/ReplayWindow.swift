package import Encoding

/// Remembers, by the digest of their signed content, the credentials that were accepted a moment ago, so that one which is
/// passed back cannot open the gate again. Runs on the monotonic clock: a jump of the date neither opens nor widens it.
package struct ReplayWindow: Sendable {
    /// How long a credential is remembered.
    package var window: Duration
    /// Entries kept at most; beyond it the oldest is forgotten.
    package let capacity: Int
    private var entries: [(digest: [UInt8], at: Instant)] = []

    /// An empty window; 30 s and 4,096 entries unless told.
    package init(window: Duration = .seconds(30), capacity: Int = 4096) {
        self.window = window
        self.capacity = capacity
    }

    /// Notes an accepted visit by each of its ``Verdict/replayKeys``; one that is known already counts from now on.
    package mutating func remember(_ digest: [UInt8], at now: Instant) {
        forget(at: now)
        entries.removeAll { $0.digest == digest }
        if entries.count >= capacity { entries.removeFirst() }
        entries.append((digest, now))
    }

    /// What was seen within the window: the `recent` of ``Verifier/verify(_:claimed:demand:recent:at:mode:onStage:)``.
    package mutating func recent(at now: Instant) -> Set<[UInt8]> {
        forget(at: now)
        return Set(entries.map(\.digest))
    }

    private mutating func forget(at now: Instant) {
        entries.removeAll { $0.at.duration(to: now) > window }
    }
}
