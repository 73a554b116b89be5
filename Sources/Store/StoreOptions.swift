package import Clocks
package import Ledger

/// The limits of the store.
package struct StoreOptions: Sendable {
    /// Limits on the size of records.
    package var limits = LedgerLimits()
    /// The limits on the entries on disk.
    package var retention = Retention()
    /// The maximum number of requests that may wait for the disk.
    package var waiting = 1024
    /// The maximum number of requests that share one commit and its sync.
    package var batch = 64
    /// The maximum number of entries evicted in one transaction. A small number keeps the transaction short.
    package var evictionBatch = 64
    /// The number of remembered inbound messages (at least 10,000).
    package var handledMessages = 10_000
    /// The number of keys of confirming inbound messages that are written together. A single write would cost more than
    /// the cursor that the message moves.
    var confirmationsTogether = 64
    /// The maximum number of replay names that survive a restart.
    package var replays = 16_384
    /// The number of requests after which the write-ahead log is copied into the database when no request is being
    /// written. A larger number reduces the bytes written but lengthens the log: 1,000 requests are about 6 MB.
    package var checkpointRequests = 1000
    /// The time without a written request before the copy.
    package var checkpointRest: Duration = .milliseconds(200)
    /// The number of requests after which the write-ahead log is copied even while requests are being written.
    package var checkpointAtLatest = 4000

    /// Whether to create an absent folder, database and keys. If not, an absent database is an error
    /// (``StoreError/absent(path:)``), and no file is created. Read-only commands use the value false.
    package var mayMake = true

    /// Whether a new ledger replaces a ledger that its witness contradicts. If not, such a ledger is an error
    /// (``StoreError/doubtful(path:detail:)``), and files and keys stay unchanged. Commands use the value false,
    /// because they may lack the service's keys. The value decides in the same way about a damaged database of the
    /// courier (``CourierStore/damage``).
    package var mayBeginNewLedger = true

    /// The time from a commit without an opened gate to the witness's statement about it and later commits.
    package var witnessIdle: Duration = .seconds(2)

    /// The time after which an unfinished write of the witness is reported.
    package var witnessLimit: Duration = .seconds(10)
    /// The number of rows that an audit reads in one transaction.
    package var auditPiece = 256
    /// The minimum pause of an audit between two transactions.
    var auditRest: Duration = .milliseconds(1)

    /// Measures the times of the store; a store reads no date.
    package var clock = Clock.system

    /// Creates the documented default values.
    package init() {}
}
