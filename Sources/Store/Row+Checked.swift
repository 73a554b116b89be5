import Encoding
import Foundation
import GRDB
import Ledger

// GRDB's own subscripts trap on a value of another type. STRICT tables hold only the declared types, but a
// damaged file may not.
extension Row {
    /// An integer from 0 to 2^53, the range of every figure that is stored here.
    func figure(_ column: String) throws -> Int {
        guard case .int64(let value) = (self[column] as DatabaseValue).storage, let figure = Int(exactly: value),
            (0...ChainPoint.countLimit).contains(figure)
        else { throw Self.damaged(column) }
        return figure
    }

    /// An integer of any size.
    func integer(_ column: String) throws -> Int64 {
        guard case .int64(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return value
    }

    /// A text.
    func text(_ column: String) throws -> Text {
        guard case .string(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return Text(value)
    }

    /// A text, or nil for NULL.
    func textIfPresent(_ column: String) throws -> Text? {
        (self[column] as DatabaseValue).isNull ? nil : try text(column)
    }

    /// Bytes.
    func bytes(_ column: String) throws -> [UInt8] {
        guard case .blob(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return [UInt8](value)
    }

    /// Bytes, or nil for NULL.
    func bytesIfPresent(_ column: String) throws -> [UInt8]? {
        (self[column] as DatabaseValue).isNull ? nil : try bytes(column)
    }

    /// A hash of the chain.
    func hash(_ column: String) throws -> ChainHash {
        guard let hash = ChainHash(try bytes(column)) else { throw Self.damaged(column) }
        return hash
    }

    /// One of a fixed set of words, compared by bytes: a word that is only canonically equivalent is damage.
    func word<Word: RawRepresentable & CaseIterable>(_ column: String) throws -> Word where Word.RawValue == String {
        let word = try text(column)
        guard let found = Word.allCases.first(where: { Text($0.rawValue) == word }) else { throw Self.damaged(column) }
        return found
    }

    private static func damaged(_ column: String) -> ContentError {
        ContentError(detail: "the column \(column) holds what it never should")
    }
}

/// A structurally sound database has content that the program never wrote. Becomes
/// ``StoreError/unreadable(path:detail:)``.
struct ContentError: Error {
    let detail: String
}
