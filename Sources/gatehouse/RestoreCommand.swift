import ArgumentParser
import Backup
import Clocks
import Encoding
import Foundation
import Settings

/// Restores a backup.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup back, while the service is stopped.",
        discussion: """
            All of the file is read and proved before anything is changed; the database comes last, in one step. What was in the \
            way gets another name beside it (.replaced-1, …) and is never deleted. The next start begins a new ledger, which \
            names the one that was put back: so no report is sent twice and no number used again, whatever agents have got since. \
            A backup made with --last and --with-keys goes on as it is with --continue.

            Only keys that are opened prove configuration, policy and trust, and that a backup is the last one: \
            without them look with --check whose keys would count. \
            The files go nowhere but to the places of the configuration here and into the service's folders. A program \
            that they have the service run (voice.program), and that the configuration here does not name, is \
            refused without --programs.

            Exit code: 0 when it is done or proved, 1 when the backup is refused, 2 for usage or input/output errors.
            """)
    @OptionGroup var input: ConfigurationInput
    @Flag(
        help:
            "Only reads and proves the backup, unpacked beside the ledger, or in /var/tmp where you may not write there."
    )
    var check = false
    @Flag(help: "A ledger that is there gets another name.")
    var replace = false
    @Flag(help: "The backup is of another machine, which is out of service.")
    var otherMachine = false
    @Flag(
        name: .customLong("continue"),
        help: "The ledger of a last backup, whose keys are opened, goes on: nothing was recorded or reported since.")
    var continues = false
    @Flag(name: .customLong("configuration"), help: "Puts configuration, policy and trust back, too.")
    var takesConfiguration = false
    @Flag(help: "The service may run the programs that a configuration names which no key proves.")
    var programs = false
    @Flag(help: "Leaves the keys in the backup: this box has its own.")
    var withoutKeys = false
    @OptionGroup var passphrase: PassphraseInput
    @Flag(help: "What was done as one JSON object, for machines.")
    var json = false
    @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
    var file: String

    func validate() throws {
        guard takesConfiguration || !programs else { throw ValidationError("--programs goes with --configuration") }
    }

    func run() async throws {
        let progress = ProgressLine("reading")
        do {
            let secret = try await self.secret()
            var restoring = Restoring(
                try configuration(), file: input.path, environment: ProcessInfo.processInfo.environment,
                at: Machine.clock.utc())
            restoring.progress = { progress.show($0) }
            let done: Restoring.Done
            if check {
                done = try await restoring.check(file, passphrase: secret)
            } else {
                var choices = Restoring.Choices()
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

    /// Asks for the passphrase only if the backup holds keys.
    private func secret() async throws -> [UInt8]? {
        if withoutKeys { return nil }
        if passphrase.passphraseFile != nil { return try passphrase.read(isNew: false) }
        return try BackupFile(file).manifest.hasKeys && !check ? passphrase.read(isNew: false) : nil
    }

    private func configuration() throws -> Configuration {
        // A new card may have no configuration yet, but the backup has a configuration.
        if takesConfiguration || check, !FileManager.default.fileExists(atPath: input.path) {
            return try Configuration.parse(
                Array("[kiosk]\nname = \"new\"\n".utf8), file: input.path,
                folder: StandardFolders.inForce.place(StandardFolders.settings))
        }
        return try input.load(.roots)
    }

    private func tell(_ done: Restoring.Done) {
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
        if !check { Terminal.line(input.places.told("put back; start the service: systemctl start gatehouse")) }
    }
}
