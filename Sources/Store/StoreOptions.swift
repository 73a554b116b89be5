package import Clocks
package import Ledger

/// The settings of a store: limits, times and permissions.
package struct StoreOptions: Sendable {
    /// Limits on the size of records.
    package var limits = LedgerLimits()
    /// The limits on the age, number and size of the entries on disk.
    package var retention = Retention()
    /// The maximum number of requests that may wait for the disk. A further request fails with
    /// ``StoreError/overloaded``.
    package var waiting = 1024
    /// The maximum number of requests that share one commit and its sync.
    package var batch = 64
    /// The basis of the limit on entries that one transaction evicts: at most four times this number. A small number
    /// keeps the transaction short.
    package var evictionBatch = 64
    /// The number of handled inbound messages whose keys are stored (at least 10,000).
    package var handledMessages = 10_000
    /// The number of keys of confirming inbound messages that are written together. To write each key by itself would
    /// cost more than to write the cursor that its message moves.
    var confirmationsTogether = 64
    /// The maximum number of replay names that a restart finds.
    package var replays = 16_384
    /// The number of requests after which the write-ahead log is copied into the database, as soon as no request is
    /// being written. A larger number reduces the bytes written but makes the write-ahead log longer: 1,000 requests
    /// are about 6 MB.
    package var checkpointRequests = 1000
    /// The time without a written request before that copy begins.
    package var checkpointRest: Duration = .milliseconds(200)
    /// The number of requests after which the write-ahead log is copied even while requests are being written.
    package var checkpointAtLatest = 4000

    /// Whether to create an absent folder, database and keys. If false, as for read-only commands, an absent database
    /// is an error (``StoreError/absent(path:)``), and no file is created.
    package var mayMake = true

    /// Whether a new ledger replaces a ledger that its witness contradicts. If false, such a ledger is an error
    /// (``StoreError/doubtful(path:detail:)``), and files and keys stay unchanged. Commands use false, because they
    /// may lack the service's keys. The value also determines whether an empty database replaces a damaged database
    /// of the courier (``CourierStore/damage``).
    package var mayBeginNewLedger = true

    /// The time after a commit without an opened gate until the witness makes a statement about this commit and later
    /// ones.
    package var witnessIdle: Duration = .seconds(2)

    /// The time after which a write of the witness that has not ended is reported.
    package var witnessLimit: Duration = .seconds(10)
    /// The number of entries that an audit reads in one transaction.
    package var auditPiece = 256
    /// The minimum pause of an audit between two transactions.
    var auditRest: Duration = .milliseconds(1)

    /// The clock that measures the times of the store. The store reads no date from it.
    package var clock = Clock.system

    /// Creates the documented default values.
    package init() {}
}
