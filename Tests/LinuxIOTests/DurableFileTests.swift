import Foundation
import LinuxIO
import TestKit
import Testing

/// The system calls that make a file survive a power cut, in order: they sync its content, give it its name,
/// and sync its folder.
@Suite struct DurableFileTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder("durable") }

    /// Returns the calls with `NEW` in place of the temporary name of an incomplete file.
    private func plain(_ calls: [String]) -> [String] {
        calls.map { $0.replacing(#/\.[a-z]+\.[0-9]+-[0-9a-f]+-[0-9a-f]+\.new/#, with: "NEW") }
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test func aFileIsOnTheDiskBeforeItHasItsNameAndTheNameAfterwards() throws {
        let (calls, error) = DiskCalls.made { try DurableFile.replace(folder.path + "/file", with: [1, 2, 3]) }
        #expect(error == nil)
        #expect(
            plain(calls) == ["sync NEW 3", "rename NEW file", "sync \(folder.name)"], "\(calls)")
    }

    @Test func aFileWhoseSyncFailsDoesNotGetTheName() throws {
        let path = folder.path + "/file"
        try DurableFile.replace(path, with: [1])
        let (calls, error) = DiskCalls.made(failing: 1) { try DurableFile.replace(path, with: [2]) }
        #expect((error as? SystemError)?.code == EIO && !calls.contains { $0.hasPrefix("rename") })
        #expect(FileManager.default.contents(atPath: path) == Data([1]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    @Test func aFailedSyncOfTheNameIsReported() throws {
        let (_, error) = DiskCalls.made(failing: 2) { try DurableFile.replace(folder.path + "/file", with: [1]) }
        #expect((error as? SystemError)?.code == EIO)
    }

    @Test func aRemovedFileDoesNotReturnAfterAPowerCut() throws {
        let path = folder.path + "/file"
        try DurableFile.replace(path, with: [1])
        let (calls, error) = DiskCalls.made { try DurableFile.remove(path) }
        #expect(error == nil && calls == ["sync \(folder.name)"])
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// The file is gone after the first attempt, but not durably.
    @Test func aRemovalWhoseSyncFailsIsTriedAgain() throws {
        let path = folder.path + "/file"
        try DurableFile.replace(path, with: [1])
        let (_, error) = DiskCalls.made(failing: 1) { try DurableFile.remove(path) }
        #expect((error as? SystemError)?.code == EIO)
        let (calls, again) = DiskCalls.made { try DurableFile.remove(path) }
        #expect(again == nil && calls == ["sync \(folder.name)"])
    }

    /// Two rounds: the folder is made, then exchanged with the existing one.
    @Test func aFolderIsOnTheDiskWithAllItHoldsBeforeItHasItsName() throws {
        for verb in ["rename", "exchange"] {
            let (made, error) = DiskCalls.made {
                try DurableFile.replaceFolder(folder.path + "/new", with: [("a/b/one", [1]), ("two", [2, 2])])
            }
            #expect(error == nil)
            let calls = plain(made)
            let renamed = try #require(calls.firstIndex { $0.hasPrefix(verb) })
            #expect(
                Set(calls[..<renamed]) == ["sync one 1", "sync two 2", "sync a", "sync b", "sync NEW"], "\(made)")
            #expect(Array(calls[renamed...]) == ["\(verb) NEW new", "sync \(folder.name)"])
        }
    }

    @Test(arguments: 1...6 as ClosedRange<Int32>) func aFailedSyncOfAFolderIsReported(failing: Int32) throws {
        let path = folder.path + "/new"
        try DurableFile.replaceFolder(path, with: [("old", [1])])
        let (_, error) = DiskCalls.made(failing: failing) {
            try DurableFile.replaceFolder(path, with: [("a/b/one", [1]), ("two", [2, 2])])
        }
        #expect((error as? SystemError)?.code == EIO)
        // Until the exchange the old folder stays; after it, only the durability of the parent folder is
        // uncertain.
        #expect(FileManager.default.fileExists(atPath: path + "/old") == (failing < 6))
    }

    /// The owner of the folder cannot predict the name, and so cannot create another file under it
    /// beforehand.
    @Test func noNameIsKnownBefore() throws {
        var seen: Set<String> = []
        for _ in 0..<20 {
            let (calls, _) = DiskCalls.made { try DurableFile.replace(folder.path + "/file", with: [1]) }
            seen.formUnion(calls.filter { $0.hasPrefix("rename") })
        }
        #expect(seen.count == 20 && seen.allSatisfy { plain([$0]) == ["rename NEW file"] }, "\(seen)")
    }

    /// Temporary files of ended processes are removed. A file that a live process may still be writing stays,
    /// and so do other files.
    @Test func theNextWriteRemovesFilesOfAnInterruptedWrite() throws {
        let (alive, ended) = (getppid(), Int32.max)
        let stays = [
            ".file.\(alive)-a-b.new", ".file.\(getpid()).new", ".file.x.new", ".other.\(ended)-a-b.new", ".file.1-.new",
        ]
        for name in stays + [".file.\(ended)-a-b.new", ".file.\(ended).new", ".file.\(getpid())-0-b.new"] {
            try Data([9]).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        }
        try FileManager.default.createDirectory(
            atPath: folder.path + "/.file.\(ended)-1-2.new/x", withIntermediateDirectories: true)
        try DurableFile.replace(folder.path + "/file", with: [1])
        #expect(try names == (stays + ["file"]).sorted())
    }

    /// The owner of the folder replaces it with a link between two steps. Nothing changes in the target of
    /// the link, and the work continues in the folder in which it began.
    @Test(arguments: [DurableFile.Step.created, .written, .synced, .renamed], [false, true])
    func noSwapBetweenTwoStepsLeadsElsewhere(_ step: DurableFile.Step, isFolder: Bool) throws {
        let (inside, moved, outside) = (folder.path + "/in", folder.path + "/moved", folder.path + "/out")
        for path in [inside, outside] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        try Data([7]).write(to: URL(fileURLWithPath: outside + "/file"))
        var isSwapped = false
        let swap: (DurableFile.Step) -> Void = { found in
            guard found == step, !isSwapped else { return }
            isSwapped = true
            #expect(rename(inside, moved) == 0 && symlink(outside, inside) == 0)
        }
        if isFolder {
            try DurableFile.replaceFolder(inside + "/file", with: [("a/b", [1]), ("c", [2])], onStep: swap)
        } else {
            try DurableFile.replace(inside + "/file", with: [1], onStep: swap)
        }
        #expect(isSwapped)
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["file"])
        #expect(FileManager.default.contents(atPath: outside + "/file") == Data([7]))
        #expect(try FileManager.default.contentsOfDirectory(atPath: moved) == ["file"])
        #expect(FileManager.default.contents(atPath: moved + (isFolder ? "/file/a/b" : "/file")) == Data([1]))
    }

    /// The file has a second name (a hard link), which may belong to another user.
    @Test func aFileWithAnotherNameIsNotOverwritten() throws {
        let (path, other) = (folder.path + "/file", folder.path + "/other")
        try Data([1, 2]).write(to: URL(fileURLWithPath: other))
        #expect(link(other, path) == 0)
        try DurableFile.erase(path)
        #expect(try names == ["other"] && FileManager.default.contents(atPath: other) == Data([1, 2]))
    }
}
