import Foundation
import Glibc
import TestKit
import Testing

@testable import LinuxIO

/// The reason why a file cannot be read is reported precisely.
@Suite struct FileObstacleTests {
    private let files: TestFolder
    private var folder: String { files.path }

    init() throws {
        files = try TestFolder()
    }

    @Test func eachIsDistinguished() throws {
        let (file, pipe) = (folder + "/file", folder + "/pipe")
        try Data([1]).write(to: URL(fileURLWithPath: file))
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(FileObstacle(file) == nil && FileObstacle(folder: folder) == nil)
        #expect(FileObstacle(folder + "/none") == .absent && FileObstacle(file + "/below") == .absent)
        #expect(FileObstacle(folder: folder + "/none") == .absent)
        // The check does not block on a pipe.
        #expect(FileObstacle(pipe)?.text == "is not a file" && FileObstacle(folder)?.text == "is not a file")
        #expect(FileObstacle(folder: file)?.text == "is not a folder")
        try FileManager.default.createSymbolicLink(atPath: folder + "/loop", withDestinationPath: folder + "/loop")
        #expect(FileObstacle(folder + "/loop") == .failed(code: ELOOP))
        // Root may read every file; `gatehouse run` runs without that right.
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
        #expect(FileObstacle(file) == (geteuid() == 0 ? nil : .forbidden(user: Accounts.userName)))
    }

    /// Opening a device can start it, for example a watchdog. A pipe takes the place of such a device here.
    @Test func anotherKindIsNotEvenOpened() throws {
        let (file, pipe) = (folder + "/file", folder + "/pipe")
        try Data([1]).write(to: URL(fileURLWithPath: file))
        #expect(mkfifo(pipe, 0o600) == 0)
        let watch = inotify_init1(O_NONBLOCK)
        defer { close(watch) }
        #expect(inotify_add_watch(watch, folder, UInt32(IN_OPEN)) >= 0)
        var events = [UInt8](repeating: 0, count: 4096)
        #expect(FileBytes.whole(pipe, limit: 10) == nil && FileBytes.beginning(pipe, limit: 10) == nil)
        #expect(read(watch, &events, events.count) == -1 && errno == EAGAIN)
        #expect(FileBytes.whole(file, limit: 10) == [1])
        #expect(read(watch, &events, events.count) > 0, "an opening would have been seen")
    }

    @Test func theUserIsNamed() {
        #expect(
            getpwnam(Accounts.userName).map { $0.pointee.pw_uid } == geteuid() || Accounts.userName == "\(geteuid())")
        #expect(FileObstacle.forbidden(user: "gatehouse").text == "may not be read by the user gatehouse")
        #expect(FileObstacle.forbidden(user: "gatehouse").remedy != nil && FileObstacle.absent.remedy == nil)
    }
}
