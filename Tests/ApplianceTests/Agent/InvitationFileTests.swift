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
        #expect(file.isDue(at: .zero))
        file.failed(at: .zero)
        #expect(!file.isDue(at: Instant(nanoseconds: 9_000_000_000)))
        #expect(file.isDue(at: Instant(nanoseconds: 10_000_000_000)), "a link may lead somewhere by now")
        // It comes; the service may not read it; then somebody lets it.
        try Data("{}".utf8).write(to: URL(fileURLWithPath: path))
        #expect(file.isDue(at: .zero))
        file.failed(at: .zero)
        #expect(!file.isDue(at: .zero))
        try FileManager.default.setAttributes([.posixPermissions: 0o604], ofItemAtPath: path)
        #expect(file.isDue(at: .zero))
        file.succeeded()
        #expect(!file.isDue(at: Instant(nanoseconds: 1_000_000_000_000)))
    }
}
