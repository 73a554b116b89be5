import Encoding
package import Ledger

/// The earlier ledgers of this gate that have entries which destinations have not confirmed. Each is in a file next
/// to the database.
///
/// A file is used only if the hash chain of its entries leads to the end of the ledger that the database states for
/// its debt, the part that a destination has not confirmed. The seal covers that statement. Any other file is
/// skipped.
package actor PastLedgers {
    /// The word before the number in the names of these files: `PATH.rewritten-N`.
    static let word = "rewritten"
    /// The number of entries for each query.
    private static let piece = 256

    /// The number of failed reads of a ledger after which its entries are no longer delivered: four hours, at one
    /// read in five seconds. A disk that fails for so long does not recover by itself, and an operator has had time
    /// to correct permissions.
    package static let patience = 2880

    private let path: String
    private var proven: [Checkpoint: LedgerReader] = [:]
    /// The number of failed reads since the start, by the end of the ledger.
    private var failures: [Checkpoint: Int] = [:]

    /// Creates the access to the earlier ledgers of the database at `path`.
    package init(path: String) { self.path = path }

    /// Returns a reader of the debt's ledger, after verification of the entries that are not confirmed. Returns nil
    /// if no file contains the ledger. Throws if a file that may contain the ledger cannot be read now.
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

    /// Records that a read of the debt's ledger failed. The next ``reader(of:)`` opens and verifies the ledger again.
    /// Returns the number of failed reads since the start.
    package func failed(_ debt: PastDebt) -> Int {
        proven[debt.end] = nil
        failures[debt.end, default: 0] += 1
        return failures[debt.end] ?? 0
    }

    /// Returns whether the unconfirmed entries on disk form a hash chain that leads to the end in the debt.
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
