import ArgumentParser
import Console
import Credentials
import Encoding
import Foundation
import LinuxIO
import Settings
import TrustFiles

extension TrustCommand {
    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Imports a signed bundle, or a trust directory.",
            discussion: """
                A bundle must be signed by a key of trust.bundleKeys and be newer than the one in force. If such keys \
                are configured, a directory is refused. Everything is checked before anything is changed, and changed \
                in one step.

                Exit code: 0 when it is in force, 1 when it is refused, 2 for usage or input/output errors.
                """)
        @OptionGroup var configuration: ConfigurationInput
        @Flag(help: "One JSON object, for machines.")
        var json = false
        @Argument(help: ArgumentHelp("A bundle or a trust directory.", valueName: "path"))
        var path: String

        func run() async throws {
            let gate = try configuration.load(.roots)
            if TrustCommand.isFolder(path) {
                try importFolder(gate)
            } else {
                try importBundle(gate)
            }
        }

        private func importBundle(_ gate: Configuration) throws {
            let bytes = try InputFile.bytes(path, limit: TrustBundle.Limits().bytes)
            // Act as the owner of the folder, who is the service's user: as root, this command would follow that user's
            // symbolic links.
            let role = OwnerRole(of: gate.trust.state)
            defer { role?.end() }
            do throws(TrustImportFailure) {
                let (edition, isNew) = try TrustState(gate.trust).install(bytes)
                show(edition.name, isNew: isNew, gate)
            } catch { throw CommandFailure(error) }
        }

        private func importFolder(_ gate: Configuration) throws {
            guard gate.trust.bundleKeys.isEmpty else {
                throw CommandFailure(
                    "this gate takes signed bundles only", remedy: "sign it with gatehouse trust bundle", exitCode: 1)
            }
            let copy: TrustCopy
            do throws(TrustDirectoryError) { copy = try TrustCopy(of: path) } catch {
                throw CommandFailure.problems("the trust directory", error.problems.count, error.description)
            }
            let role = OwnerRole(of: gate.trust.directory)
            defer { role?.end() }
            do throws(SystemError) {
                try copy.install(at: gate.trust.directory)
            } catch { throw CommandFailure("\(error)", remedy: "check the disk and the permissions") }
            show(copy.version, isNew: true, gate)
        }

        /// Prints the version of the trust data, and the rules that are in force with them.
        private func show(_ version: String, isNew: Bool, _ gate: Configuration) {
            let directory = try? TrustState(gate.trust).read().directory
            let rules = directory.map { RulesInForce(file: gate.policy.file, over: $0) }
            if json {
                let line: JSONObject = ["version": .text(version), "isNew": .bool(isNew)]
                return Terminal.json(JSON.object(JSONObject(line.members + (rules?.members ?? []))))
            }
            Terminal.line(isNew ? "in force: \(version)" : "already in force: \(version)")
            if let rules { Terminal.line(Terminal.printable("policy \(rules.line)")) }
        }
    }

    struct Bundle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Packs a trust directory into a signed bundle, for an operator.",
            discussion: """
                The directory is checked first. Each bundle needs a higher version than the previous one: gates never \
                accept an older bundle. The private key stays on the operator's machine.
                """)
        @OptionGroup var signing: SigningInput
        @Option(
            help: ArgumentHelp(
                "The time after its expiry for which it is still used, with a warning, such as 7d.",
                valueName: "duration"))
        var grace = "7d"
        @Argument(help: ArgumentHelp("The trust directory.", valueName: "directory"))
        var directory: String

        func run() async throws {
            guard let grace = DurationText.parse(grace) else {
                throw CommandFailure("--grace takes a duration", remedy: "write for example 90d or 12h")
            }
            let (signer, edition, output) = try signing.read("trust", grace: grace)
            let bytes: [UInt8]
            let policy: String
            do {
                // Read with the rights of the directory's owner. Write the bundle with the operator's own rights, so
                // that it belongs to the operator.
                let role = OwnerRole(of: directory)
                defer { role?.end() }
                let rules = RulesInForce(file: nil, over: try TrustDirectory(path: directory))
                let files = try TrustDirectoryFiles.read(directory).map { (Text($0.path), $0.bytes) }
                bytes = try TrustBundle.write(
                    edition, files: Dictionary(files, uniquingKeysWith: { first, _ in first }), key: signer)
                _ = try TrustDirectory(TrustBundle(bytes, keys: [signer.publicKey]), name: output)
                role?.end()
                try DurableFile.replace(output, with: bytes)
                policy = rules.line
            } catch let error as TrustDirectoryError {
                throw CommandFailure.problems("the trust directory", error.problems.count, error.description)
            } catch let error as TrustBundle.Failure {
                throw CommandFailure("\(error)", remedy: "correct the directory or the options")
            } catch let error as SystemError {
                throw CommandFailure("\(error)", remedy: error.remedy)
            }
            Terminal.line("\(output): version \(edition.version), valid until \(edition.validUntil.rfc3339)")
            Terminal.line(Terminal.printable("policy \(policy)"))
        }
    }

    struct KeyGeneration: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keygen", abstract: "Creates an operator's key and prints its public part.",
            discussion:
                "The private key is written to a new file. Add the public key to trust.bundleKeys of every gate.")
        @Argument(help: ArgumentHelp("The file for the private key; it must not exist.", valueName: "file"))
        var file: String

        func run() async throws {
            guard let key = (try? SystemRandom.bytes(32)).flatMap(OperatorSigningKey.init(seed:)) else {
                throw CommandFailure("the system provides no random bytes")
            }
            // Never overwrite an existing key: if it is lost, no new bundle can replace those that it has signed.
            let made: OpenFile
            do throws(SystemError) { made = try OpenFile(file, .making(mode: 0o600)) } catch {
                throw CommandFailure(
                    "cannot make \(file): \(String(cString: strerror(error.code)))",
                    remedy: "name a file that does not exist")
            }
            do throws(SystemError) { try made.write(key.pem.utf8) } catch {
                unlink(file)
                throw CommandFailure("cannot write \(file)", remedy: "check the disk")
            }
            Terminal.line(key.publicKey.text)
        }
    }
}

extension CommandFailure {
    /// Creates the failure for a bundle or directory that was not imported.
    init(_ failure: TrustImportFailure) {
        switch failure {
        case .bundle, .rollBack, .conflict: self.init(failure.text, remedy: failure.remedy, exitCode: 1)
        case .noKeys, .disk: self.init(failure.text, remedy: failure.remedy)
        case .directory(let error):
            self = .problems("what is in it", error.problems.count, error.description)
        }
    }
}
