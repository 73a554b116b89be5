import Encoding
import Foundation
import TestKit

@testable import Simulation

/// The `cases` of a file in the tuvali folder; nil when the folder is absent.
func tuvaliCases(_ file: String) throws -> [JSON]? {
    guard let folder = Vectors.path("tuvali") else { return nil }
    return try JSON.parse(Vectors.bytes(folder.appendingPathComponent(file)))["cases"]?.array
}

extension JSON {
    func text(_ name: Text) -> String { self[name]?.string?.string ?? "" }
    func hex(_ name: Text) -> [UInt8] { Hex.decode(text(name)) ?? [] }
    func number(_ name: Text) -> Int { self[name]?.int ?? -1 }
}
