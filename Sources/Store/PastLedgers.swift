import Encoding
package import Ledger

/// The ledgers before the present one, in the files that were put aside beside the database: there their entries are
/// that a destination is still owed.
///
/// A file counts only when its chain leads to the end that the debt names, which is sealed: whatever else anybody puts
/// there is passed over.
package actor PastLedgers {
    /// What the names of the files have before their numbers.
    static let word = "rewritten"
    /// Entries that are read together.
    private static let piece = 256

    /// Failed reads of a ledger until what is owed of it is given up: at one in five seconds four hours. A disk that
    /// fails as long does not come to itself any more; permissions an operator who is told can mend by then.
    package static let patience = 2880

    private let path: String
    private var proven: [Checkpoint: LedgerReader] = [:]
    /// Failed reads since the start.
    private var failures: [Checkpoint: Int] = [:]

    /// Those of the database at `path`.
    package init(path: String) { self.path = path }

    /// The ledger of a debt, proven as far as it is owed; nil: no file has it. Throws when that cannot be told now.
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

    /// A read of that ledger failed. It is opened and proven anew then. Returns how many have failed since the start.
    package func failed(_ debt: PastDebt) -> Int {
        proven[debt.end] = nil
        failures[debt.end, default: 0] += 1
        return failures[debt.end] ?? 0
    }

    /// Whether the entries that are owed, as far as they are kept, are those that the end binds.
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
