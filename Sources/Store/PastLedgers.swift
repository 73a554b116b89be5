import Encoding
package import Ledger

/// Earlier ledgers, in files next to the database, with entries that destinations have not confirmed.
///
/// A file counts only if its chain leads to the end in the debt, which is sealed. Any other file is skipped.
package actor PastLedgers {
    /// The word before the number in the names of the files.
    static let word = "rewritten"
    /// The number of entries in one read.
    private static let piece = 256

    /// The number of failed reads of a ledger after which its debts are given up: four hours, at one read in five
    /// seconds. A disk that fails for so long does not recover by itself, and an operator has time to correct
    /// permissions.
    package static let patience = 2880

    private let path: String
    private var proven: [Checkpoint: LedgerReader] = [:]
    /// The number of failed reads of each ledger since the start.
    private var failures: [Checkpoint: Int] = [:]

    /// Creates the access to the earlier ledgers of the database at `path`.
    package init(path: String) { self.path = path }

    /// Returns a reader of the ledger of a debt. The unconfirmed entries are verified. Returns nil if no file contains
    /// the ledger. Throws if the answer is unknown at present.
    package func reader(of debt: PastDebt) async throws(StoreError) -> LedgerReader? {
        if let reader = proven[debt.end] { return reader }
        var failure: StoreError?
        for file in try StoreFile.listed(path, Self.word).reversed() {
            do throws(StoreError) {
                let reader = try LedgerReader(path: file)
                guard try await Self.proves(reader, debt) else { continue }
                proven[debt.end] = reader
                return reader
            } catch {
                switch error {
                case .absent, .corrupt, .unreadable, .foreign: continue
                default: failure = error
                }
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Records that a read of the debt's ledger failed. The ledger is then opened and verified again. Returns the
    /// number of failures since the start.
    package func failed(_ debt: PastDebt) -> Int {
        proven[debt.end] = nil
        failures[debt.end, default: 0] += 1
        return failures[debt.end] ?? 0
    }

    /// Returns whether the debt's end proves the unconfirmed entries on disk.
    private static func proves(_ reader: LedgerReader, _ debt: PastDebt) async throws(StoreError) -> Bool {
        let state = try await reader.state()
        guard state.ledger == debt.ledger, state.end.count >= debt.end.count else { return false }
        var position = max(debt.confirmed, state.start.count)
        guard var hash = try await reader.hash(at: position) else { return false }
        while position < debt.end.count {
            let entries = try await reader.entries(after: position, limit: min(piece, debt.end.count - position))
            if entries.isEmpty { return false }
            for entry in entries {
                guard entry.position == position + 1,
                    hash.next(position: entry.position, body: entry.body) == entry.hash
                else { return false }
                (position, hash) = (entry.position, entry.hash)
            }
        }
        return hash == debt.end.hash
    }
}
