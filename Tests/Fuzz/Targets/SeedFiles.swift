import Encoding
import Foundation
import TestKit

/// First inputs from the vector folders.
enum SeedFiles {
    /// Returns every file below `folder` whose name has one of the endings.
    static func files(_ folder: String, endings: [String]) -> [[UInt8]] {
        guard let root = Vectors.path(folder) else { return [] }
        let names = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []).sorted()
        return names.filter { name in endings.contains { name.hasSuffix($0) } }
            .compactMap { try? Vectors.bytes(root.appendingPathComponent($0)) }
    }

    /// Returns one JSON file of the vectors.
    static func json(_ file: String) -> JSON? {
        Vectors.path(file).flatMap { try? Vectors.bytes($0) }.flatMap { try? JSON.parse($0) }
    }

    /// Returns every text inside a JSON value.
    static func texts(_ value: JSON?) -> [Text] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap { texts($0) }
        case .object(let object): object.members.flatMap { texts($0.value) }
        default: []
        }
    }
}
