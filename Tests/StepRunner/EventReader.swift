import Foundation

/// Reads the complete lines that were added to a file since the last call.
struct EventReader {
    private let path: String
    private var file: FileHandle?
    private var rest = Data()

    init(_ path: String) { self.path = path }

    mutating func read() -> [Data] {
        if file == nil { file = FileHandle(forReadingAtPath: path) }
        while let data = try? file?.readToEnd(), !data.isEmpty { rest += data }
        guard let end = rest.lastIndex(of: 0x0A) else { return [] }
        let lines = rest[..<end].split(separator: 0x0A)
        rest = Data(rest[rest.index(after: end)...])
        return lines
    }
}
