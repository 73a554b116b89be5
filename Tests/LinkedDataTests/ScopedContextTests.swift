import Encoding
import Foundation
import LinkedData
import TestKit
import Testing

/// Documents with random contexts that use scopes, lists and protection: this processor and PyLD read the
/// same statements.
@Suite struct ScopedContextTests {
    /// The number of documents; `Tests/Peers/linked-data/scoped_contexts.py` makes them.
    private static let count = 40_000
    private static let parts = 20

    @Test(.tags(.nightly), arguments: 0..<parts) func statementsAreThoseOfPyLD(part: Int) throws {
        let count = Self.count / Self.parts
        var (compared, refused, failures): (Int, Int, [String]) = (0, 0, [])
        for line in try Self.lines(from: part * count, count) {
            let item = try JSON.parse(Array(line))
            let contexts = Dictionary(
                uniqueKeysWithValues: (item["contexts"]?.object?.members ?? []).map { ($0.name, $0.value) })
            let processor = JSONLDProcessor(contexts: ContextDocuments(contexts))
            let found = Result { try Self.canonical(item["document"] ?? nil, processor) }
            guard let wanted = item["canonical"]?.string else {
                // An internal error of PyLD proves nothing.
                if item["error"]?.string?.hasPrefix("internal ") ?? false { continue }
                refused += 1
                if case .success = found { failures.append("accepted, PyLD: \(item.compactText)") }
                continue
            }
            compared += 1
            switch found {
            // PyLD may write a statement twice.
            case .success(let text) where Set(text.split(separator: "\n")) == Set(wanted.string.split(separator: "\n")):
                break
            case .success(let text): failures.append("other statements, \(text): \(item.compactText)")
            case .failure(let error): failures.append("\(error): \(item.compactText)")
            }
        }
        print("scoped contexts: \(compared) documents compared, \(refused) that PyLD refuses")
        for failure in failures.prefix(20) { print("scoped contexts: \(failure)") }
        // PyLD has bugs in type-scoped contexts with protected terms. A person must judge each printed line.
        #expect(
            compared > count / 3 && failures.count * 100 < compared, "\(failures.count): \(failures.prefix(3))")
    }

    private static func canonical(_ document: JSON, _ processor: JSONLDProcessor) throws -> String {
        let dataset = try processor.deserialize(document, options: .init(base: "https://scopes.example/")).dataset
        return String(decoding: try RDFC10.canonicalize(dataset).nQuads, as: UTF8.self)
    }

    /// Returns PyLD's results for these documents, one line each.
    private static func lines(from first: Int, _ count: Int) throws -> [Data] {
        let environment = ProcessInfo.processInfo.environment
        let cache =
            environment["XDG_CACHE_HOME"].map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".cache")
        let process = Process()
        process.executableURL = cache.appendingPathComponent("gatehouse/venvs/acapy-1.7.0/bin/python")
        let script = Vectors.repository.appendingPathComponent("Tests/Peers/linked-data/scoped_contexts.py")
        process.arguments = ["-B", script.path, "\(first)", "\(count)"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return data.split(separator: UInt8(ascii: "\n"))
    }
}
