import ArgumentParser
import Backup
import Console
import Foundation
import Glibc

/// The source of the passphrase that encrypts the keys in a backup: a file, or a person at the terminal.
struct PassphraseInput: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file with the passphrase of the keys, for programs. Without it the command asks.", valueName: "file"))
    var passphraseFile: String?

    /// Reads the passphrase. With `isNew` the passphrase is for a new backup: a person has to type it twice, and it
    /// must not be too short.
    func read(isNew: Bool) throws -> [UInt8] {
        let bytes: [UInt8]
        if let passphraseFile {
            let text = try InputFile.bytes(passphraseFile, limit: 4096)
            bytes = Array(text.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed())
        } else {
            guard isatty(STDIN_FILENO) == 1 else {
                throw CommandFailure(
                    "there is no terminal to ask for the passphrase", remedy: "give --passphrase-file FILE")
            }
            bytes = Self.ask("passphrase: ")
            if isNew, Self.ask("again: ") != bytes {
                throw CommandFailure("the passphrases differ", remedy: "try again")
            }
        }
        guard !isNew || bytes.count >= BackupMaker.shortestPassphrase else {
            throw CommandFailure(
                "the passphrase is too short",
                remedy: "use at least \(BackupMaker.shortestPassphrase) characters; five words are good")
        }
        return bytes
    }

    private static func ask(_ prompt: String) -> [UInt8] {
        guard let line = getpass(prompt) else { return [] }
        return Array(String(cString: line).utf8)
    }
}
