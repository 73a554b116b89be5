import ArgumentParser
import Backup
import Clocks
import Console
import Encoding
import Features
import Foundation
import Settings

/// The command `gatehouse restore`: restores a backup while the service is stopped.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores a backup while the service is stopped.",
        discussion: """
            The whole file is read and verified before anything is changed; the database is restored last, in one \
            step. Existing files are renamed (.replaced-1, …) and never deleted. The next start begins a new ledger, \
            which refers to the restored one: no report is sent twice and no number is used again, whatever agents \
            have received since. A backup made with --last and --with-keys continues with --continue.

            Only decrypted keys prove configuration, policy and trust, and that a backup is the last one: without \
            them use --check to see whose keys would count. Files are written only to the places of this machine's \
            configuration and into the service's folders. A program that the service would run (voice.program), and \
            that this machine's configuration does not name, is refused without --programs.

            Exit code: 0 when it is restored or verified, 1 when the backup is refused, 2 for usage or input/output \
            errors.
            """)
    @OptionGroup var input: ConfigurationInput
    @Flag(
        help:
            "Only read and verify the backup, unpacked next to the ledger, or in /var/tmp if you may not write there."
    )
    var check = false
    @Flag(help: "Rename an existing ledger.")
    var replace = false
    @Flag(help: "The backup is of another machine, which is out of service.")
    var otherMachine = false
    @Flag(
        name: .customLong("continue"),
        help: "Continue the ledger of a last backup whose keys are decrypted: nothing was recorded or reported since.")
    var continues = false
    @Flag(name: .customLong("configuration"), help: "Also restore configuration, policy and trust.")
    var takesConfiguration = false
    @Flag(help: "The service may run the programs named by a configuration that no key proves.")
    var programs = false
    @Flag(help: "Do not restore the keys: this box has its own.")
    var withoutKeys = false
    @OptionGroup var passphrase: PassphraseInput
    @Flag(help: "The result as one JSON object, for machines.")
    var json = false
    @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
    var file: String

    func validate() throws {
        guard takesConfiguration || !programs else { throw ValidationError("--programs requires --configuration") }
    }

    func run() async throws {
        let progress = ProgressLine("reading")
        do {
            let secret = try await self.secret()
            var restoring = BackupRestorer(
                try configuration(), file: input.path, environment: ProcessInfo.processInfo.environment,
                at: Machine.clock.utc())
            restoring.progress = { progress.show($0) }
            let done: BackupRestorer.Done
            if check {
                done = try await restoring.check(file, passphrase: secret)
            } else {
                var choices = BackupRestorer.Choices()
                (choices.replaces, choices.isOtherMachine, choices.continues) = (replace, otherMachine, continues)
                (choices.takesConfiguration, choices.takesPrograms) = (takesConfiguration, programs)
                choices.passphrase = secret
                done = try await restoring.restore(file, choices)
            }
            progress.clear()
            tell(done)
        } catch let error as BackupFailure {
            progress.clear()
            throw CommandFailure(error.text, remedy: error.remedy, exitCode: error.isRefusal ? 1 : 2)
        }
    }

    /// Returns the passphrase of the backup's keys; nil if no keys are restored. Asks a person only if the backup
    /// contains keys.
    private func secret() async throws -> [UInt8]? {
        if withoutKeys { return nil }
        if passphrase.passphraseFile != nil { return try passphrase.read(isNew: false) }
        return try BackupFile(file).manifest.hasKeys && !check ? passphrase.read(isNew: false) : nil
    }

    private func configuration() throws -> Configuration {
        // Without a configuration, as on a new card, use a placeholder: the backup contains the real one.
        if takesConfiguration || check, !FileManager.default.fileExists(atPath: input.path) {
            return try Configuration.parse(
                Array("[kiosk]\nname = \"new\"\n".utf8), file: input.path,
                folder: StandardFolders.inForce.place(StandardFolders.settings))
        }
        return try input.load(.roots)
    }

    private func tell(_ done: BackupRestorer.Done) {
        if json {
            let object: JSON = [
                "manifest": done.manifest.json, "aside": .array(done.aside.map { .text($0) }),
                "notices": .array(done.notices.map { .text($0) }),
            ]
            return Terminal.json(object)
        }
        let manifest = done.manifest
        Terminal.line(
            "\(manifest.kiosk), \(manifest.made.rfc3339), version \(Terminal.printable(manifest.software.string)), "
                + "\(manifest.hasKeys ? "with" : "without") keys")
        for line in done.report { Terminal.line("  \(line)") }
        for path in done.aside { Terminal.line("kept: \(path)") }
        for notice in done.notices { Terminal.line("note: \(notice)") }
        if !check { Terminal.line(input.places.told("restored; start the service: systemctl start gatehouse")) }
    }
}
