import Encoding
import Foundation
import GRDB
import Glibc
import Ledger
import LinuxIO

/// Opens the ledger's database. The comparison with the witness determines whether the ledger continues or a new
/// ledger replaces it.
struct Opening {
    /// The opened database, with the result of its comparison with the witness.
    struct Opened {
        let pool: DatabasePool
        let books: LedgerFigures
        let standing: WitnessComparison?
        /// The number of the witness's last statement; 0 if it has none.
        let number: Int
        /// The revision in the witness's last statement if the ledger continues from it; otherwise 0.
        var witnessed = 0
        /// The paths of the copies of the files that this start found; empty if no fault was found in the files.
        var found: [String] = []
        /// The paths of the files of earlier ledgers that this start removes, because ``PastDebt/ledgers`` newer ones
        /// exist.
        var removed: [String] = []
        /// The debts (unconfirmed parts of earlier ledgers) that this start removes. Their entries are never
        /// delivered.
        var givenUp: [PastDebt] = []
    }

    let path: String
    let options: StoreOptions
    let witness: Witness?
    /// The reason code for a new ledger that replaces a ledger restored from a backup
    /// (``WitnessSource/restoredCode``). It is used even if the witness's key is missing.
    let restoredCode: Text

    /// Opens the database. Keeps copies of the files that this start found if they have a fault.
    func run() throws(StoreError) -> Opened {
        var found = FoundFiles(path)
        do throws(StoreError) {
            var opened = try run(&found)
            if case .rewritten? = opened.standing { opened.found = found.keep() } else { found.discard() }
            return opened
        } catch {
            if damage(error) != nil { _ = found.keep() } else { found.discard() }
            throw error
        }
    }

    /// Writes the content of the write-ahead log into the database. If a sync of an earlier opening failed, the kernel
    /// may count pages of the log as written that are not on the disk, and the next sync of the log does not write
    /// them. If another process reads the log, a part of the content may stay in the log.
    ///
    /// The copy may find damage that no earlier step found, because it writes every page of the log. The copies of the
    /// found files must still exist then, because they are evidence.
    private func copyLog(of pool: DatabasePool) throws(StoreError) {
        do {
            _ = try pool.writeWithoutTransaction { db in try db.checkpoint(.passive) }
        } catch {
            let error = StoreError(error, path: path)
            if case .locked = error { return }
            throw error
        }
    }

    private func run(_ found: inout FoundFiles) throws(StoreError) -> Opened {
        let reading = witness?.file.read(witness?.key)
        let number = reading?.head?.number ?? 0
        do {
            let (pool, isOld) = try Store.connect(path, options, witness?.key)
            var (books, seal) = try load(pool)
            let mark = try pool.read { db in try RestoredMark(db) }
            if let mark, mark.isVouched(by: witness, books.state, reading) {
                return try begin(behind: mark, pool, books, isAuthentic: seal == .intact, reading?.head)
            }
            guard let witness, let reading else {
                try copyLog(of: pool)
                return Opened(pool: pool, books: books, standing: nil, number: number)
            }
            let standing = try pool.read { db -> WitnessComparison in
                let stored = try LedgerQueries.stored(db, books, seal, isOld: isOld, key: witness.key)
                let standing = try LedgerQueries.standing(db, stored, reading, keyIsNew: witness.keyIsNew)
                // A mark of a restore that the key does not confirm also ends this ledger. Whichever program wrote
                // the mark, the database may be an older state, and no position may be assigned twice.
                if mark != nil, !standing.isRewritten {
                    return .rewritten("it claims to be restored from a backup, and its key does not confirm that")
                }
                return standing
            }
            if case .unusable = reading, options.mayBeginNewLedger { witness.file.putAside() }
            if case .rewritten(let finding) = standing {
                guard options.mayBeginNewLedger else {
                    try pool.close()
                    throw StoreError.doubtful(path: path, detail: finding)
                }
                var inheritance = try pool.read { db in
                    try LedgerSuccession(db, books, isAuthentic: seal == .intact, reading.head)
                }
                if mark != nil { inheritance.comesFromBackup() }
                found.addDatabase()
                try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
                try pool.close()
                return try begin(
                    inheritance, .rewritten(finding), finding, witness.code, number, leavesFile: seal != .made)
            }
            if seal == .none {
                try pool.write { [books] db in
                    var sealed = books
                    try sealed.save(db, witness.key)
                }
                (books, seal) = try load(pool)
            }
            try copyLog(of: pool)
            let witnessed = standing == .continued ? reading.head?.state.revision ?? 0 : 0
            return Opened(pool: pool, books: books, standing: standing, number: number, witnessed: witnessed)
        } catch {
            let error = StoreError(error, path: path)
            guard let detail = damage(error), let witness, options.mayBeginNewLedger else { throw error }
            if case .unusable? = reading { witness.file.putAside() }
            // Report an unreadable ledger like a changed ledger, and continue with a new ledger.
            return try begin(
                LedgerSuccession(nothingBut: reading?.head), .rewritten("the database is damaged: \(detail)"),
                "the database is damaged: \(detail)", witness.code, number, leavesFile: true)
        }
    }

    /// Returns the description of the damage if the error is an unreadable file of this program; nil for any other
    /// error.
    private func damage(_ error: StoreError) -> String? {
        switch error {
        case .corrupt(_, let detail), .unreadable(_, let detail): detail
        default: nil
        }
    }

    private func load(_ pool: DatabasePool) throws -> (books: LedgerFigures, seal: LedgerFigures.Seal) {
        try pool.write { [key = witness?.key, limits = options.limits] db in
            try LedgerFigures.load(db, newLedger: Self.newLedger(), limits: limits, key: key)
        }
    }

    static func newLedger() -> Text {
        Text(RandomUUID.text((0..<16).map { _ in UInt8.random(in: 0...255) }) ?? "")
    }

    // MARK: - A new ledger that replaces another

    /// Begins a new ledger that replaces a ledger restored from a backup. The witness's statement is used only if it
    /// is about the restored ledger.
    private func begin(
        behind mark: RestoredMark, _ pool: DatabasePool, _ books: LedgerFigures, isAuthentic: Bool,
        _ head: HeadStatement?
    ) throws -> Opened {
        guard options.mayBeginNewLedger else {
            try pool.close()
            throw StoreError.doubtful(path: path, detail: mark.finding.string)
        }
        var inheritance = try pool.read { db in
            let seen = head?.state.ledger == books.head.ledger ? head : nil
            return try LedgerSuccession(db, books, isAuthentic: isAuthentic, seen)
        }
        inheritance.comesFromBackup()
        try pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        try pool.close()
        let finding = mark.finding.string
        return try begin(inheritance, .restored(finding), finding, restoredCode, head?.number ?? 0, leavesFile: true)
    }

    private func begin(
        _ inheritance: LedgerSuccession, _ standing: WitnessComparison, _ finding: String, _ code: Text, _ number: Int,
        leavesFile: Bool
    ) throws(StoreError) -> Opened {
        let key = witness?.key
        let next = path + ".next"
        do {
            for ending in ["", "-journal", "-wal", "-shm"] { unlink(next + ending) }
            try StoreFile.makePrivate(next, in: StoreFile.folder(of: next))
            let queue = try DatabaseQueue(path: next, configuration: Store.configuration(of: next))
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA application_id = \(Schema.applicationID)")
            }
            let migrator = Schema.migrator(key)
            // The new ledger's file keeps the tables about agents until ``Store/handOver(to:)`` moves their rows.
            try migrator.migrate(queue, upTo: inheritance.agentRows == nil ? Schema.handOver : Schema.beforeHandOver)
            try queue.write { db in
                try inheritance.write(db, finding: Text(finding), code: code, limits: options.limits, key: key)
            }
            try queue.close()
            let removed = try moveAside(leavesFile: leavesFile)
            guard rename(next, path) == 0 else { throw StoreFile.failure(path) }
            try StoreFile.sync(folder: StoreFile.folder(of: path))
            let (pool, _) = try Store.connect(path, options, key)
            var books = try load(pool).books
            books.lost = inheritance.lost
            return Opened(
                pool: pool, books: books, standing: standing, number: number, removed: removed,
                givenUp: inheritance.givenUp)
        } catch {
            throw StoreError(error, path: path)
        }
    }

    /// Gives the old database a second name, `PATH.rewritten-N`, and renames its write-ahead log accordingly. Until
    /// the new database gets the name `PATH`, a start finds the old database there and repeats these steps. Returns
    /// the paths of the earlier ledgers' files that are removed because too many exist.
    private func moveAside(leavesFile: Bool) throws(StoreError) -> [String] {
        defer { for ending in ["-wal", "-shm"] { unlink(path + ending) } }
        guard leavesFile else { return [] }
        let earlier = StoreFile.numbered(path, PastLedgers.word)
        // The previous start may have ended after it gave the file its second name.
        let isAside = earlier.last.map { StoreFile.isSame($0, path) } ?? false
        let aside = try isAside ? earlier[earlier.count - 1] : StoreFile.link(path, as: PastLedgers.word)
        if let log = try? FileStatus(path + "-wal"), log.size > 0 {
            guard rename(path + "-wal", aside + "-wal") == 0 else { throw StoreFile.failure(aside) }
        }
        let removed = Array(earlier.dropLast(isAside ? 1 : 0).dropLast(PastDebt.ledgers - 1))
        for old in removed { for ending in ["", "-wal", "-shm"] { unlink(old + ending) } }
        try StoreFile.sync(folder: StoreFile.folder(of: path))
        return removed
    }
}
