package import Ledger

/// The bounds of the store.
package struct StoreOptions: Sendable {
    /// Sizes of records.
    package var limits = LedgerLimits()
    /// Entries kept.
    package var retention = Retention()
    /// Requests that may wait for the disk.
    package var waiting = 1024
    /// Requests that share one commit, and with it one sync, at most.
    package var batch = 64
    /// Entries evicted in one transaction, so that none takes long.
    package var evictionBatch = 64
    /// Remembered inbound messages (at least 10,000).
    package var handledMessages = 10_000
    /// Inbound messages that confirm something and are written together: each one alone would cost more than the cursor that it moves.
    package var confirmationsTogether = 64
    /// Names of those who were let in, remembered over a restart.
    package var replays = 16_384
    /// Requests after which the write-ahead log is copied into the database, as soon as nobody writes. More of them make
    /// fewer bytes written, and a longer log: 1,000 are about 6 MB.
    package var checkpointRequests = 1000
    /// How long nobody must have written for that.
    package var checkpointRest: Duration = .milliseconds(200)
    /// Requests after which it is copied beside the writers, however busy they are.
    package var checkpointAtLatest = 4000

    /// Whether folder, database and keys are made where there are none. If not, a database that is not there is an
    /// error (``StoreError/absent(path:)``), and no file of it or beside it is made: for commands that look at what
    /// there is.
    package var mayMake = true

    /// Whether a ledger that does not stand up to its witness is put aside, and another one begun. If not, that is an error
    /// (``StoreError/doubtful(path:detail:)``), and files and keys stay as they are: for commands, which may not have the keys that
    /// the service has.
    package var mayBeginAnew = true

    /// How long after the last commit the witness hears of what opened no gate.
    package var witnessIdle: Duration = .seconds(2)

    /// How long the witness may take to hear of it before that is told.
    package var witnessLimit: Duration = .seconds(10)
    /// Rows that an audit reads in one transaction.
    package var auditPiece = 256
    /// How long it rests between two of these at least.
    package var auditRest: Duration = .milliseconds(1)

    /// The documented defaults.
    package init() {}
}
