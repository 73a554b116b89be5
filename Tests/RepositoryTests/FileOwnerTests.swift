import Foundation
import TestKit
import Testing

/// Files are opened, read, written, synced and examined by `OpenFile` and `FileStatus` of LinuxIO: they repeat an
/// interrupted call, pass no descriptor to a child process, and follow a symbolic link only where the caller says so.
@Suite struct FileOwnerTests {
    /// The files below `Sources` that make such system calls themselves, each with the reason.
    private static let owners: [String: String] = [
        "LinuxIO/System/OpenFile.swift": "the owner: swift-system 1.8 offers neither openat(2) nor fsync(2)",
        "LinuxIO/System/EventCounter.swift":
            "an eventfd(2) is read and written in units of eight bytes, and is no file",
        "LinuxIO/System/TimeDaemon.swift": "a socket of the system bus",
        "LinuxIO/Transport/PacketTransport.swift": "a socket, read packet by packet by a thread that never waits in it",
        "LinuxIO/Transport/StreamTransport.swift":
            "a socket or serial line: what it does not take now waits in a queue",
        "LinuxIO/Service/LogWriter.swift": "a failed write counts the bytes that it wrote, to end a torn line later",
        "Displays/Voice/SpeechProgram.swift": "posix_spawn(3) opens the streams of the speech program, in that process",
        "Console/Terminal.swift": "the standard streams: a full pipe is waited for, and child processes inherit them",
        "Courier/Mail/TokenSource+Reading.swift": "not converted yet: the presence and the mode of a token's file",
    ]

    private static let root = Vectors.repository.appendingPathComponent("Sources").resolvingSymlinksInPath()

    /// Returns whether a line opens, reads, writes, syncs or examines a file by a system call of its own. Of read(2)
    /// and write(2) without a module's name, the three arguments without labels identify the call.
    private static func isRaw(_ line: Substring) -> Bool {
        // Most lines need no regular expression, which is slow.
        guard ["O_", "open", "stat(", "statat(", "sync(", "read(", "write("].contains(where: line.contains) else {
            return false
        }
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        let opening = #/\bO_(RDONLY|WRONLY|RDWR)\b|\bopenat\(|\bGlibc\.(open|read|write)\(/#
        let examining = #/\b(fstat|fstatat|lstat)\(|\bstat\([^)]*&|\b(fsync|fdatasync|pread|pwrite)\(/#
        let moving = #/(^|[^.A-Za-z0-9_`])(read|write)\([^:()]+,[^:()]+,[^:]*\)/#
        return code.contains(opening.wordBoundaryKind(.simple)) || code.contains(examining.wordBoundaryKind(.simple))
            || code.contains(moving)
    }

    @Test func onlyListedFilesMakeSystemCallsOfFiles() throws {
        var found: Set<String> = []
        for file in swiftFiles(below: Self.root) {
            let text = try String(contentsOf: file, encoding: .utf8)
            if text.split(separator: "\n").contains(where: Self.isRaw) {
                found.insert(String(file.path.dropFirst(Self.root.path.count + 1)))
            }
        }
        let added = found.subtracting(Self.owners.keys).sorted()
        #expect(added.isEmpty, "use OpenFile and FileStatus, or state here why not: \(added)")
        let gone = Set(Self.owners.keys).subtracting(found).sorted()
        #expect(gone.isEmpty, "no system call any more: remove it from the list: \(gone)")
    }

    /// The test above can fail.
    @Test func systemCallsAreFound() {
        for line in [
            "let file = open(path, O_RDONLY | O_CLOEXEC)", "Glibc.open(path, flags)", "openat(folder, name, flags)",
            "guard fstat(file, &status) == 0", "if stat(path, &status) != 0 {", "guard lstat(path + ending, &status)",
            "fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)", "_ = fsync(file)", "sync = { fdatasync($0) }",
            "pread(file, &bytes, bytes.count, 0)", "$0.baseAddress.map { pwrite(file, $0, 8, 0) }",
            "Glibc.read(file, &bytes, limit)", "let count = read(file, &bytes, bytes.count)",
            "_ = text.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }",
        ] { #expect(Self.isRaw(line[...]), "\(line)") }
        for line in [
            "// open(path, O_RDONLY)", "let file = try OpenFile(path, .reading)", "try FileStatus(path)",
            "var status = statvfs()", "statvfs(folder, &status)", "try file.write(bytes, at: 0)",
            "func read(_ count: Int, at offset: Int)", "try write(items, in: graph)", "store.open(path, key, limits)",
            "try file.sync()", "case .open(let until): relay?.open(until: until, at: now)", "usesFsync(true)",
        ] { #expect(!Self.isRaw(line[...]), "\(line)") }
    }
}
