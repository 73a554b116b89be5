import Encoding
import Foundation
import Testing

@testable import Appliance

/// When a file with an invitation is read.
@Suite struct InvitationFileTests {
    @Test func whatChangesAboutItIsReasonToReadIt() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = InvitationFile(path: path)
        file.failed(try #require(file.due(at: .zero)), at: .zero)
        #expect(file.due(at: Instant(nanoseconds: 9_000_000_000)) == nil)
        #expect(file.due(at: Instant(nanoseconds: 10_000_000_000)) != nil, "a link may lead somewhere by now")
        // It comes; the service may not read it; then somebody lets it.
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        file.failed(try #require(file.due(at: .zero)), at: .zero)
        #expect(file.due(at: .zero) == nil)
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        file.succeeded(try #require(file.due(at: .zero)))
        #expect(file.due(at: Instant(nanoseconds: 1_000_000_000_000)) == nil)
    }

    /// What takes its place while the one before is read or carried out is read afterwards, however that ended.
    @Test(arguments: [true, false]) func whatComesMeanwhileIsReadNext(hasSucceeded: Bool) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        var file = InvitationFile(path: path)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        let first = try #require(file.due(at: .zero))
        try Data("{ }".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        if hasSucceeded { file.succeeded(first) } else { file.failed(first, at: .zero) }
        file.succeeded(try #require(file.due(at: .zero)))
        #expect(file.due(at: Instant(nanoseconds: 1_000_000_000_000)) == nil)
    }
}
