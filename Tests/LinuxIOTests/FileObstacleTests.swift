import Foundation
import Glibc
import Testing

@testable import LinuxIO

/// What keeps a file from being read is told as what it is.
@Suite struct FileObstacleTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    @Test func eachIsToldApart() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (file, pipe) = (folder + "/file", folder + "/pipe")
        try Data([1]).write(to: URL(fileURLWithPath: file))
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(FileObstacle(file) == nil && FileObstacle(folder: folder) == nil)
        #expect(FileObstacle(folder + "/none") == .absent && FileObstacle(file + "/below") == .absent)
        #expect(FileObstacle(folder: folder + "/none") == .absent)
        // Nobody waits for a pipe.
        #expect(FileObstacle(pipe)?.text == "is no file" && FileObstacle(folder)?.text == "is no file")
        #expect(FileObstacle(folder: file)?.text == "is no folder")
        try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: folder + "/loop")
        #expect(FileObstacle(folder + "/loop") == .failed(code: ELOOP))
        // Root may read everything; `gatehouse run` is tried without that right.
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
        #expect(FileObstacle(file) == (geteuid() == 0 ? nil : .forbidden(user: Accounts.userName)))
    }

    @Test func theUserIsNamed() {
        #expect(
            getpwnam(Accounts.userName).map { $0.pointee.pw_uid } == geteuid() || Accounts.userName == "\(geteuid())")
        #expect(FileObstacle.forbidden(user: "gatehouse").text == "may not be read by the user gatehouse")
        #expect(FileObstacle.forbidden(user: "gatehouse").remedy != nil && FileObstacle.absent.remedy == nil)
    }
}
