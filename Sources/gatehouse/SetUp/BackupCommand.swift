import ArgumentParser
import Backup
import Clocks
import Console
import Encoding
import Foundation
import Ledger

/// The command `gatehouse backup`: copies the gate's data into one file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies ledger, connections, configuration and trust into one file.",
        discussion: """
            May be used while the service runs and does not delay it. The file is a tar archive, mode 0600, with a \
            list of its contents and their hashes. It gets its name when it is complete, verified and on the disk; \
            the name must be free.

            With --with-keys it contains the keys of the ledger's seal and of the connections, under a passphrase. \
            Without them, and on a box with other keys, its records can be verified and exported, and the connections \
            must be established again. A printed code is never in it.

            Exit code: 0 when it was created, otherwise 2.
            """)
    @OptionGroup var input: ConfigurationInput
    @Flag(help: "Include the keys, under a passphrase.")
    var withKeys = false
    @Flag(help: "Leave out the connections, for example because their file is damaged.")
    var withoutConnections = false
    @Flag(help: "The service is stopped permanently: this ledger ends here, and a restore may continue it.")
    var last = false
    @OptionGroup var passphrase: PassphraseInput
    @Flag(help: "The result as one JSON object, for machines.")
    var json = false
    @Argument(help: ArgumentHelp("The file to create.", valueName: "file"))
    var file: String

    func validate() throws {
        guard withKeys || passphrase.passphraseFile == nil else {
            throw ValidationError("--passphrase-file requires --with-keys")
        }
    }

    func run() async throws {
        let configuration = try input.load(.roots)
        // Lower the priority of this process: the running gate must not wait for the backup.
        _ = nice(10)
        let secret = try withKeys ? passphrase.read(isNew: true) : nil
        var making = BackupMaker(
            configuration, file: input.path, software: Text(ProductVersion.text),
            environment: ProcessInfo.processInfo.environment, at: Machine.clock.utc())
        making.takesConnections = !withoutConnections
        let progress = ProgressLine("copying")
        making.progress = { progress.show($0) }
        do throws(BackupFailure) {
            let made = try await making.make(file, passphrase: secret, isLast: last)
            progress.clear()
            if made.isOpenToOthers {
                Terminal.error(
                    "others can read \(file) on this file system", remedy: "keep that disk where only you have access")
            }
            if json { return Terminal.json(made.manifest.json) }
            let end = made.manifest.end
            Terminal.line(
                "\(file): \(end.count) entries up to \(end.text), \(made.manifest.hasKeys ? "with" : "without") keys"
                    + (withoutConnections ? ", without connections" : ""))
            if last {
                Terminal.line(
                    "this ledger has ended: a start here begins a new one"
                        + (made.manifest.hasKeys
                            ? "; to continue on another box: gatehouse restore FILE --continue" : "")
                )
            }
        } catch {
            progress.clear()
            throw CommandFailure(error.text, remedy: error.remedy)
        }
    }
}

/// The progress of an operation as a percentage, on a line of standard error that is overwritten. Prints nothing if
/// standard error is not a terminal.
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
