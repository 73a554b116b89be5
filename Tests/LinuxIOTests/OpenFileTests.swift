import Foundation
import Glibc
import TestKit
import Testing

@testable import LinuxIO

/// Opening, reading and writing files, and what is known about them.
@Suite struct OpenFileTests {
    private let folder: TestFolder
    private let path: String

    init() throws {
        folder = try TestFolder("open-file")
        path = try folder.write("file", [1, 2, 3])
        try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: "file")
    }

    private func code(_ body: () throws(SystemError) -> Void) -> Int32? {
        do throws(SystemError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test func aLinkIsFollowedOnlyOnRequest() throws {
        let link = folder.path("link")
        #expect(code { () throws(SystemError) in _ = try OpenFile(link, .reading) } == ELOOP)
        #expect(code { () throws(SystemError) in _ = try OpenFile(link, .keeping(mode: 0o600)) } == ELOOP)
        #expect(try OpenFile(link, .reading, links: .followed).read(10) == [1, 2, 3])
        #expect(try FileStatus(link).kind == .link)
        #expect(try FileStatus(link, links: .followed).identity == FileStatus(path).identity)
        let place = try OpenFile(folder.path, .place)
        #expect(code { () throws(SystemError) in _ = try OpenFile("link", .reading, in: place) } == ELOOP)
        #expect(try FileStatus("link", in: place).kind == .link)
        #expect(try OpenFile("file", .reading, in: place).read(10) == [1, 2, 3])
    }

    @Test func aFileOfThatNameIsNeverMadeAgain() throws {
        for name in ["file", "link"] {
            let path = folder.path(name)
            #expect(code { () throws(SystemError) in _ = try OpenFile(path, .making(mode: 0o600)) } == EEXIST)
        }
        let made = try OpenFile(folder.path("new"), .making(mode: 0o600))
        try made.write([7, 8])
        #expect(try made.read(2, at: 0) == [7, 8] && made.status().mode == 0o600 && !made.status().isOpenToOthers)
        #expect(folder.bytes("file") == [1, 2, 3])
    }

    @Test func aReadIsBounded() throws {
        let file = try OpenFile(path, .updating)
        #expect(try file.readOnce(2) == [1, 2] && file.read(10) == [3] && file.read(10) == [])
        try file.rewind()
        #expect(try file.read(2, expected: 1 << 40) == [1, 2] && file.read(0) == [])
        #expect(try file.read(10, at: 1) == [2, 3] && file.read(1, at: 3) == [])
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        try file.write(long, at: 1)
        #expect(try file.read(300_000, at: 0) == [1] + long && file.status().size == long.count + 1)
        try file.resize(to: 2)
        #expect(try file.read(10, at: 0) == [1, 0] && file.isFile)
    }

    /// Opening and reading return at once, though no process has the other end.
    @Test func aPipeIsNotWaitedFor() throws {
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        let file = try OpenFile(pipe, .reading)
        #expect(try file.readOnce(10) == [] && file.status().kind == .other && !file.isFile)
        let other = try OpenFile(pipe, .writing)
        #expect(code { () throws(SystemError) in _ = try file.readOnce(10) } == EAGAIN)
        try other.write([1])
        #expect(try file.readOnce(10) == [1])
    }

    @Test func noProgramInheritsAFileAndABorrowedOneStaysOpen() throws {
        let file = try OpenFile(path, .reading)
        let (descriptor, place) = (file.descriptor, try OpenFile(folder.path, .folder))
        let inner = try OpenFile("file", .reading, in: place)
        for opened in [descriptor, place.descriptor, inner.descriptor] {
            #expect(fcntl(opened, F_GETFD) == FD_CLOEXEC)
        }
        OpenFile(borrowing: descriptor, "it").close()
        #expect(try file.read(1) == [1])
        file.close()
        #expect(file.descriptor == -1 && code { () throws(SystemError) in _ = try file.read(1) } == EBADF)
    }

    @Test func aLockHasOneHolder() throws {
        let (first, second) = (try OpenFile(path, .keeping(mode: 0o600)), try OpenFile(path, .keeping(mode: 0o600)))
        try first.lock()
        #expect(code { () throws(SystemError) in try second.lock() } == EWOULDBLOCK)
        first.close()
        #expect(code { () throws(SystemError) in try second.lock() } == nil)
    }

    @Test func anErrorNamesTheOperationAndTheFile() {
        let missing = folder.path("missing")
        do throws(SystemError) {
            _ = try OpenFile(missing, .reading, operation: "asking for")
            Issue.record("it was opened")
        } catch {
            #expect(error == SystemError("asking for \(missing)", code: ENOENT))
        }
        #expect(code { () throws(SystemError) in _ = try FileStatus(missing) } == ENOENT)
    }
}
