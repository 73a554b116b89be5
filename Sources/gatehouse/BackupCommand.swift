import ArgumentParser
import Backup
import Clocks
import Encoding
import Foundation
import Ledger

/// Makes a backup: one file with the gate's data.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies ledger, connections, configuration and trust into one file.",
        discussion: """
            May be used beside the running service, which it does not hold up. The file is a tar archive, mode 0600, with a list \
            of its contents and their hashes, and has its name once it is whole, proved and on the disk. Nothing may have that name.

            The keys of the ledger's seal and of the connections are in it with --with-keys only, under a passphrase. Without \
            them, and on a box with other keys, what is in it can be proved and exported, and connections are made anew. A \
            printed code is never in it.

            Exit code: 0 when it is made, 2 when not.
            """)
    @OptionGroup var input: ConfigurationInput
    @Flag(help: "Takes the keys along, under a passphrase.")
    var withKeys = false
    @Flag(help: "The service is stopped for good: this ledger ends here, and a restore may continue it.")
    var last = false
    @OptionGroup var passphrase: PassphraseInput
    @Flag(help: "What was made as one JSON object, for machines.")
    var json = false
    @Argument(help: ArgumentHelp("The file to make.", valueName: "file"))
    var file: String

    func validate() throws {
        guard withKeys || passphrase.passphraseFile == nil else {
            throw ValidationError("--passphrase-file goes with --with-keys")
        }
    }

    func run() async throws {
        let configuration = try input.load(.roots)
        // The gate has priority.
        _ = nice(10)
        let secret = try withKeys ? passphrase.read(isNew: true) : nil
        var making = BackupMaking(
            configuration, file: input.path, software: Text(ProductVersion.text),
            environment: ProcessInfo.processInfo.environment, at: Machine.clock.utc())
        let progress = ProgressLine("copying")
        making.progress = { progress.show($0) }
        do throws(BackupFailure) {
            let made = try await making.make(file, passphrase: secret, isLast: last)
            progress.clear()
            if made.isOpenToOthers {
                Terminal.error(
                    "others can read \(file) on this file system", remedy: "keep that disk where nobody else comes")
            }
            if json { return Terminal.json(made.manifest.json) }
            let end = made.manifest.end
            Terminal.line(
                "\(file): \(end.count) entries up to \(end.text), \(made.manifest.hasKeys ? "with" : "without") keys")
            if last {
                Terminal.line(
                    "this ledger has ended: a start here begins a new one"
                        + (made.manifest.hasKeys ? "; to go on elsewhere: gatehouse restore FILE --continue" : "")
                )
            }
        } catch {
            progress.clear()
            throw CommandFailure(error.text, remedy: error.remedy)
        }
    }
}

/// The progress of an operation, on a line of the terminal that is overwritten; no output if standard error
/// is not a terminal.
final class ProgressLine: Sendable {
    private let word: String
    private let isShown = isatty(STDERR_FILENO) == 1

    init(_ word: String) { self.word = word }

    func show(_ share: Double) {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\r\(word): \(Int(share * 100)) %".utf8))
    }

    func clear() {
        guard isShown else { return }
        FileHandle.standardError.write(Data("\r\u{1B}[K".utf8))
    }
}
