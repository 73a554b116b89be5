import Encoding
import Foundation
import GRDB
import Ledger

// Typed access to columns. A subscript of GRDB ends the program if the value has another type. In a STRICT table
// every value has the declared type, but a damaged file may contain other values; these functions then throw
// ``ContentError``.
extension Row {
    /// Returns an integer from 0 to 2^53, the range of every stored count and position.
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

    func text(_ column: String) throws -> Text {
        guard case .string(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return Text(value)
    }

    /// Returns a text, or nil for NULL.
    func textIfPresent(_ column: String) throws -> Text? {
        (self[column] as DatabaseValue).isNull ? nil : try text(column)
    }

    func bytes(_ column: String) throws -> [UInt8] {
        guard case .blob(let value) = (self[column] as DatabaseValue).storage else { throw Self.damaged(column) }
        return [UInt8](value)
    }

    /// Returns the bytes in the column, or nil for NULL.
    func bytesIfPresent(_ column: String) throws -> [UInt8]? {
        (self[column] as DatabaseValue).isNull ? nil : try bytes(column)
    }

    func hash(_ column: String) throws -> ChainHash {
        guard let hash = ChainHash(try bytes(column)) else { throw Self.damaged(column) }
        return hash
    }

    private static func damaged(_ column: String) -> ContentError {
        ContentError(detail: "the column \(column) has an invalid value")
    }
}

/// The error for a database that SQLite can read but that contains a value which the program never writes. It becomes
/// ``StoreError/unreadable(path:detail:)``.
struct ContentError: Error {
    let detail: String
}
