import Foundation
import LinuxIO
import TestKit
import Testing

/// What makes a file survive a power cut, call by call: its bytes, then its name, then its folder.
@Suite struct DurableFileTests {
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("durable-\(UUID().uuidString)").path
        var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

        init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    private func temporary(_ name: String) -> String { ".\(name).\(getpid()).new" }

    @Test func aFileIsOnTheDiskBeforeItHasItsNameAndTheNameAfterwards() throws {
        let (calls, error) = DiskCalls.made { try DurableFile.replace(folder.path + "/file", with: [1, 2, 3]) }
        #expect(error == nil)
        #expect(
            calls == ["sync \(temporary("file")) 3", "rename \(temporary("file")) file", "sync \(folder.name)"])
    }

    @Test func whatTheDiskDidNotTakeDoesNotGetTheName() throws {
        let path = folder.path + "/file"
        try DurableFile.replace(path, with: [1])
        let (calls, error) = DiskCalls.made(failing: 1) { try DurableFile.replace(path, with: [2]) }
        #expect((error as? SystemError)?.code == EIO && !calls.contains { $0.hasPrefix("rename") })
        #expect(FileManager.default.contents(atPath: path) == Data([1]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func aNameThatTheDiskDidNotTakeIsTold() throws {
        let (_, error) = DiskCalls.made(failing: 2) { try DurableFile.replace(folder.path + "/file", with: [1]) }
        #expect((error as? SystemError)?.code == EIO)
    }

    @Test func noCutBringsBackWhatWasRemoved() throws {
        let path = folder.path + "/file"
        try DurableFile.replace(path, with: [1])
        let (calls, error) = DiskCalls.made { try DurableFile.remove(path) }
        #expect(error == nil && calls == ["sync \(folder.name)"])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// The file is away after the first attempt, but not for good.
    @Test func aRemovalThatTheDiskDidNotTakeIsTriedAgain() throws {
        let path = folder.path + "/file"
        try DurableFile.replace(path, with: [1])
        let (_, error) = DiskCalls.made(failing: 1) { try DurableFile.remove(path) }
        #expect((error as? SystemError)?.code == EIO)
        let (calls, again) = DiskCalls.made { try DurableFile.remove(path) }
        #expect(again == nil && calls == ["sync \(folder.name)"])
    }

    /// Twice: made, then exchanged with the one that is there.
    @Test func aFolderIsOnTheDiskWithAllItHoldsBeforeItHasItsName() throws {
        for verb in ["rename", "exchange"] {
            let (calls, error) = DiskCalls.made {
                try DurableFile.replaceFolder(folder.path + "/new", with: [("a/b/one", [1]), ("two", [2, 2])])
            }
            #expect(error == nil)
            let renamed = try #require(calls.firstIndex { $0.hasPrefix(verb) })
            #expect(
                Set(calls[..<renamed]) == [
                    "sync one 1", "sync two 2", "sync a", "sync b", "sync \(temporary("new"))",
                ])
            #expect(Array(calls[renamed...]) == ["\(verb) \(temporary("new")) new", "sync \(folder.name)"])
        }
    }

    @Test(arguments: 1...6 as ClosedRange<Int32>) func aFolderThatTheDiskDidNotTakeIsTold(failing: Int32) throws {
        let path = folder.path + "/new"
        try DurableFile.replaceFolder(path, with: [("old", [1])])
        let (_, error) = DiskCalls.made(failing: failing) {
            try DurableFile.replaceFolder(path, with: [("a/b/one", [1]), ("two", [2, 2])])
        }
        #expect((error as? SystemError)?.code == EIO)
        // Up to the exchange the old one stays; after it only the folder above is in doubt.
        #expect(FileManager.default.fileExists(atPath: path + "/old") == (failing < 6))
    }
}
