import Encoding
import Foundation
import TestKit

/// First inputs out of the vector folders.
enum SeedFiles {
    /// Every file below `folder` whose name ends so.
    static func files(_ folder: String, endings: [String]) -> [[UInt8]] {
        guard let root = Vectors.path(folder) else { return [] }
        let names = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []).sorted()
        return names.filter { name in endings.contains { name.hasSuffix($0) } }
            .compactMap { try? Vectors.bytes(root.appendingPathComponent($0)) }
    }

    /// One JSON file of the vectors.
    static func json(_ file: String) -> JSON? {
        Vectors.path(file).flatMap { try? Vectors.bytes($0) }.flatMap { try? JSON.parse($0) }
    }

    /// Every text inside a JSON value.
    static func texts(_ value: JSON?) -> [Text] {
        switch value {
        case .string(let text): [text]
        case .array(let elements): elements.flatMap { texts($0) }
        case .object(let object): object.members.flatMap { texts($0.value) }
        default: []
        }
    }
}
