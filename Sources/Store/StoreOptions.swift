package import Ledger

/// The bounds of the store.
package struct StoreOptions: Sendable {
    /// Sizes of records.
    package var limits = LedgerLimits()
    /// Entries kept.
    package var retention = Retention()
    /// Reports kept.
    package var outbox = OutboxRules()
    /// Requests that may wait for the disk.
    package var waiting = 1024
    /// Requests that share one commit, and with it one sync, at most.
    package var batch = 64
    /// Entries evicted in one transaction, so that none takes long.
    package var evictionBatch = 256
    /// Remembered inbound messages (spec/cloud-agent J: at least 10,000).
    package var handledMessages = 10_000
    /// Names of those who were let in, remembered over a restart.
    package var replays = 16_384
    /// Pages of the write-ahead log at which SQLite copies it into the database (4 KiB each).
    package var checkpointPages = 1000

    /// The documented defaults.
    package init() {}
}
