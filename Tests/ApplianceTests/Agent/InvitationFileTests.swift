import Encoding
import Foundation
import Testing

@testable import Courier

/// The changes of a file after which its invitation is read.
@Suite struct InvitationFileTests {
    @Test func anyChangeOfTheFileCausesARead() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = InvitationFile(path: path)
        file.failed(try #require(due(file, at: .zero)), at: .zero)
        #expect(due(file, at: Instant(nanoseconds: 9_000_000_000)) == nil)
        #expect(due(file, at: Instant(nanoseconds: 10_000_000_000)) != nil, "a link may lead somewhere by now")
        // The file is created; the service may not read it; then it gets permission.
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        file.failed(try #require(due(file, at: .zero)), at: .zero)
        #expect(due(file, at: .zero) == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        file.succeeded(try #require(due(file, at: .zero)))
        #expect(due(file, at: Instant(nanoseconds: 1_000_000_000_000)) == nil)
    }

    /// Returns the present edition of the file if it is to be read.
    private func due(_ file: InvitationFile, at now: Instant) -> InvitationFile.Edition? {
        let edition = InvitationFile.Edition(of: file.path)
        return file.isDue(edition, at: now) ? edition : nil
    }

    /// A file that arrives while its predecessor is read or carried out is read next, whatever the result.
    @Test(arguments: [true, false]) func aFileThatArrivesMeanwhileIsReadNext(hasSucceeded: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = InvitationFile(path: path)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        let first = try #require(due(file, at: .zero))
        try Data("{ }".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        if hasSucceeded { file.succeeded(first) } else { file.failed(first, at: .zero) }
        file.succeeded(try #require(due(file, at: .zero)))
        #expect(due(file, at: Instant(nanoseconds: 1_000_000_000_000)) == nil)
    }
}
