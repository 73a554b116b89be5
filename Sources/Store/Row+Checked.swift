import Encoding
import Foundation
import GRDB
import Ledger

// GRDB's subscripts trap on a value of another type. STRICT tables contain only the declared types, but a damaged file
// may contain others.
extension Row {
    /// Returns an integer from 0 to 2^53, the range of every stored figure.
    func figure(_ column: String) throws -> Int {
        guard case .int64(let value) = (self[column] as DatabaseValue).storage, let figure = Int(exactly: value),
            (0...ChainPoint.countLimit).contains(figure)
        else { throw Self.damaged(column) }
        return figure
    }

    /// Returns an integer of any size.
    func integer(_ column: String) throws -> Int64 {
        guard case .int64(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return value
    }

    /// Returns the text in the column `column`.
    func text(_ column: String) throws -> Text {
        guard case .string(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return Text(value)
    }

    /// Returns a text, or nil for NULL.
    func textIfPresent(_ column: String) throws -> Text? {
        (self[column] as DatabaseValue).isNull ? nil : try text(column)
    }

    /// Returns the bytes in the column `column`.
    func bytes(_ column: String) throws -> [UInt8] {
        guard case .blob(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return [UInt8](value)
    }

    /// Returns the bytes in the column, or nil for NULL.
    func bytesIfPresent(_ column: String) throws -> [UInt8]? {
        (self[column] as DatabaseValue).isNull ? nil : try bytes(column)
    }

    /// Returns a hash of the chain.
    func hash(_ column: String) throws -> ChainHash {
        guard let hash = ChainHash(try bytes(column)) else { throw Self.damaged(column) }
        return hash
    }

    /// Returns the value of the column as one of a fixed set of words. Words are compared by bytes: a word that is only
    /// canonically equivalent is damage.
    func word<Word: RawRepresentable & CaseIterable>(_ column: String) throws -> Word where Word.RawValue == String {
        let word = try text(column)
        guard let found = Word.allCases.first(where: { Text($0.rawValue) == word }) else { throw Self.damaged(column) }
        return found
    }

    private static func damaged(_ column: String) -> ContentError {
        ContentError(detail: "the column \(column) has an invalid value")
    }
}

/// A structurally valid database has content that the program never wrote. The error becomes
/// ``StoreError/unreadable(path:detail:)``.
struct ContentError: Error {
    let detail: String
}
