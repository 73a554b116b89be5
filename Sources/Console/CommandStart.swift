package import ArgumentParser
import Foundation
import Glibc
import LinuxIO
import Settings

/// The start of a program that consists of commands.
package enum CommandStart {
    /// Runs the command that the arguments of this process name. If the command throws, ends the process with the
    /// output and the exit code for the error. `root` is the program's main command; the program must have called
    /// ``Terminal/openMissingStreams()``.
    package static func run(_ root: any ParsableCommand.Type) async {
        Heap.keepFreedMemory()
        do {
            // Swift reads the arguments from /proc. Without /proc there are no arguments, and every command would only
            // print the help and succeed.
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

    /// Returns the command of the program `root` that the arguments `words` name. Also throws if the arguments ask for
    /// the help or the version.
    package static func command(
        of words: [String], in root: any ParsableCommand.Type
    ) throws -> any ParsableCommand {
        if let word = UnknownCommand.unknown(in: words, of: root) { throw word.failure }
        return try root.parseAsRoot(words)
    }

    /// Throws if the value of `GATEHOUSE_ROOT` is invalid: the variable keeps the program away from the machine's own
    /// files, so the program must not ignore it. Also throws if root runs the program and the variable names a folder
    /// that another user can change, because that user could choose where root writes.
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
