package import ArgumentParser
import Foundation
import Glibc
import LinuxIO
import Settings

/// The start of a program with commands.
package enum CommandStart {
    /// Runs the command that the arguments of this process name, and ends the process with its output and exit
    /// code if it throws. `root` is the program, which has called ``Terminal/openMissingStreams()``.
    package static func run(_ root: any ParsableCommand.Type) async {
        Heap.keepFreedMemory()
        do {
            // Swift reads the arguments from /proc. Without them, every command would be taken for a call for
            // help, and succeed.
            guard !CommandLine.arguments.isEmpty else {
                throw CommandFailure(
                    "cannot read the command line: is /proc mounted?",
                    remedy: "mount it: mount -t proc proc /proc; in a container, provide /proc")
            }
            try checkFolders()
            var command = try command(of: Array(CommandLine.arguments.dropFirst()), in: root)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            FinalOutput(for: error, of: root).end()
        }
    }

    /// Returns the command of the program `root` that the arguments `words` name. A thrown error may be no
    /// failure, but the help or the version that the arguments ask for.
    package static func command(
        of words: [String], in root: any ParsableCommand.Type
    ) throws -> any ParsableCommand {
        if let word = UnknownCommand.unknown(in: words, of: root) { throw word.failure }
        return try root.parseAsRoot(words)
    }

    /// Refuses an invalid value of `GATEHOUSE_ROOT`: the program would otherwise use the machine's own files,
    /// which the variable is meant to protect. In a command run by root, it also refuses a folder that
    /// another user can change: otherwise that user could choose where root writes.
    private static func checkFolders() throws {
        guard let folders = StandardFolders(ProcessInfo.processInfo.environment) else {
            throw CommandFailure(
                "\(StandardFolders.variable) is not an absolute path",
                remedy: "unset it, or use the path of a folder without . and ..")
        }
        guard geteuid() == 0, !folders.root.isEmpty, let status = try? FileStatus(folders.root) else { return }
        guard status.kind == .folder, status.owner == 0, status.mode & 0o022 == 0 else {
            throw CommandFailure(
                "\(StandardFolders.variable) names a folder that others can change",
                remedy: "use a folder of root that group and others cannot write to, or unset the variable")
        }
    }
}
