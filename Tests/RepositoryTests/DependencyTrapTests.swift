import Foundation
import TestKit
import Testing

/// Lines of the dependencies that can end the process, in the files that handle bytes from a socket. Each
/// such file was reviewed in the version that is built here. After an update of a dependency this test names
/// the files to review again; then update their rows in `DependencyTrapList.swift`.
///
/// The test finds preconditions, fatal errors and forced unwraps. Traps without such a word, for example of
/// sums and indices, are left to the fuzz targets.
@Suite struct DependencyTrapTests {
    /// Returns the sources of this build's dependencies, in a folder above the test program. The test fails
    /// if they do not exist.
    private static func checkouts() throws -> URL {
        var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            let checkouts = folder.appendingPathComponent("checkouts", isDirectory: true)
            if FileManager.default.fileExists(atPath: checkouts.path) { return checkouts }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// Returns the number of lines of a file that may trap, and a hash of them with two lines around each.
    private static func traps(in source: some Sequence<UInt8>) -> (count: Int, hash: UInt64) {
        let lines = Array(source).split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
            let isSpace: (UInt8) -> Bool = { [0x20, 0x09, 0x0D].contains($0) }
            let bare = line.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
            return bare.starts(with: "//".utf8) ? [] : Array(bare)
        }
        let found = lines.indices.filter { isTrap(lines[$0]) }
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
        for index in Set(found.flatMap { max(0, $0 - 2)..<min(lines.count, $0 + 3) }).sorted() {
            for byte in lines[index] + [0x0A] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        return (found.count, hash)
    }

    private static let calls = ["precondition(", "preconditionFailure(", "fatalError("].map { Array($0.utf8) }
    private static let before = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_)]".utf8)
    private static let after = Set(" \t.,)]}[(:?".utf8)

    /// Returns whether a line calls one of these functions, or unwraps something by force, including `try!`
    /// and `as!`.
    private static func isTrap(_ line: [UInt8]) -> Bool {
        let code = code(line)
        if calls.contains(where: { code.firstRange(of: $0) != nil }) { return true }
        return code.indices.dropFirst().contains { index in
            code[index] == UInt8(ascii: "!") && before.contains(code[index - 1])
                && (index + 1 == code.count || after.contains(code[index + 1]))
        }
    }

    /// Returns a line without the contents of its strings and without its comment.
    private static func code(_ line: [UInt8]) -> [UInt8] {
        var (code, isInString, index): ([UInt8], Bool, Int) = ([], false, 0)
        while index < line.count {
            let byte = line[index]
            if isInString, byte == UInt8(ascii: "\\") {
                index += 2
                continue
            }
            if byte == UInt8(ascii: "\"") {
                isInString.toggle()
                code.append(byte)
            } else if !isInString {
                if line[index...].starts(with: "//".utf8) { break }
                code.append(byte)
            }
            index += 1
        }
        return code
    }

    @Test func everyFileThatMayTrapWasReviewed() throws {
        let checkouts = try Self.checkouts()
        var reviewed = Dictionary(uniqueKeysWithValues: reviewedTraps.map { ($0.path, $0) })
        for part in receivePath {
            let place = checkouts.appendingPathComponent(part)
            let files = part.hasSuffix("/") ? swiftFiles(below: place) : [place]
            try #require(!files.isEmpty, "\(part) is gone: what has taken its place?")
            for file in files {
                let path = String(file.path.dropFirst(checkouts.path.count + 1))
                if unusedParts.contains(where: { path.hasPrefix($0.path) }) { continue }
                let found = Self.traps(in: try Data(contentsOf: file))
                guard let row = reviewed.removeValue(forKey: path) else {
                    #expect(found.count == 0, "\(path) was never reviewed")
                    continue
                }
                let now = "\(found.count), 0x" + String(found.hash, radix: 16)
                #expect(
                    row.traps == found.count && row.hash == found.hash,
                    "\(path) has changed: review its \(found.count) lines, then write \(now). So far: \(row.reason)")
            }
        }
        #expect(reviewed.isEmpty, "no such files any more: \(reviewed.keys.sorted())")
    }

    /// The excluded paths exist, so that a renamed path is noticed.
    @Test func excludedPathsExist() throws {
        let checkouts = try Self.checkouts()
        let files = receivePath.filter { $0.hasSuffix("/") }
            .flatMap { swiftFiles(below: checkouts.appendingPathComponent($0)) }
            .map { String($0.path.dropFirst(checkouts.path.count + 1)) }
        for part in unusedParts { #expect(files.contains { $0.hasPrefix(part.path) }, "\(part.path)") }
    }

    @Test func trapsAreFoundAndWordsAreNot() {
        for line in [
            "precondition(a > 0)", "default: preconditionFailure()", "fatalError(\"x\")", "let a = try! b()", "a as! B",
            "return a!", "a![0]", "f(a!)", "(b)!.c", "x[0]! + 1",
        ] { #expect(Self.traps(in: "\n  \(line)\n".utf8).count == 1, "\(line)") }
        for line in [
            "// precondition(a)", "let a = \"b! c\" // d!", "a != b", "!a", "assert(a)", "if !(a) {}",
            "print(\"\\\" a!\")",
        ] { #expect(Self.traps(in: "\(line)\n".utf8).count == 0, "\(line)") }
        let one = Self.traps(in: "case .a:\n    fatalError()\n".utf8)
        let other = Self.traps(in: "case .b:\n    fatalError()\n".utf8)
        #expect(one.count == other.count && one.hash != other.hash, "what leads there counts")
    }
}
