import Appliance
import ArgumentParser
import Credentials
import Encoding
import Foundation
import LinuxIO

extension ConfigCommand {
    struct Bundle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Packs the configurations of a fleet into a signed bundle, for an operator.",
            discussion: """
                The directory holds common.toml and kiosks/ID.toml for each gate, whose values replace the common ones key by key. \
                Every gate's configuration is put together and checked first. Each bundle needs a higher number than the one \
                before: gates never go back. The private key stays on the operator's machine.
                """)
        @OptionGroup var signing: SigningInput
        @Argument(help: ArgumentHelp("The directory.", valueName: "directory"))
        var directory: String

        func run() async throws {
            let (signer, edition, output) = try signing.read("config")
            do {
                let fleet = try FleetConfiguration(directory: directory)
                let bytes = try TrustBundle.write(edition, files: fleet.files, key: signer, as: .configuration)
                let folder = (ConfigurationInput.standard as NSString).deletingLastPathComponent
                for kiosk in fleet.kiosks {
                    let made = try fleet.document(for: kiosk, from: "a new bundle", in: folder)
                    guard made.configuration.fleet.keys.contains(signer.publicKey) else {
                        throw CommandFailure(
                            "\(kiosk): fleet.keys does not name the key that signs",
                            remedy: "add \(signer.publicKey.text) to fleet.keys of common.toml")
                    }
                }
                try DurableFile.replace(output, with: bytes)
                Terminal.line(
                    "\(output): version \(edition.version) for \(fleet.kiosks.count) gates, to be imported until \(edition.validUntil.rfc3339)"
                )
            } catch let error as FleetConfiguration.Failure {
                throw CommandFailure(error.text, remedy: error.remedy)
            } catch let error as TrustBundle.Failure {
                throw CommandFailure("\(error)", remedy: "correct the directory or the options")
            } catch let error as SystemError {
                throw CommandFailure("\(error)", remedy: error.remedy)
            }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import", abstract: "Takes this gate's part of a signed configuration bundle.",
            discussion: """
                A key of fleet.keys must have signed it, and it must be newer than the one in force. All of it is checked before \
                anything is changed; the configuration before stays beside it as .before. The service takes it over by a \
                restart in a moment without a visitor.

                Exit code: 0 when it is in place, 1 when it is refused, 2 for usage or input/output errors.
                """)
        @OptionGroup var input: ConfigurationInput
        @Flag(help: "Leaves the running service as it is until its next start.")
        var noRestart = false
        @Flag(help: "One JSON object, for machines.")
        var json = false
        @Argument(help: ArgumentHelp("The bundle.", valueName: "file"))
        var file: String

        func run() async throws {
            let bytes = try InputFile.bytes(file, limit: TrustBundle.Limits().bytes)
            let state = FleetState(try input.load(), file: input.path)
            // Asked where it listens now; the new configuration may say another place.
            let question = ControlQuestion(socket: try input.load().control.path, input: input)
            do throws(FleetState.Failure) {
                let (edition, isNew) = try state.install(bytes, at: SystemClock.look().utc)
                tell(edition, isNew: isNew, restart: isNew && !noRestart ? restart(question) : nil)
            } catch { throw CommandFailure(error) }
        }

        /// What came of asking the running service, in words.
        private func restart(_ question: ControlQuestion) -> String {
            guard question.socket != nil, let answer = try? question.answer(to: .restart),
                answer["restarts"]?.bool == true
            else {
                return "at the next start of the service"
            }
            return "when nobody is at the gate"
        }

        private func tell(_ edition: TrustEdition, isNew: Bool, restart: String?) {
            if json {
                return Terminal.line(
                    JSON.object(["version": .text(edition.name), "isNew": .bool(isNew)]).compactText)
            }
            Terminal.line((isNew ? "in place: configuration " : "was in place already: configuration ") + edition.name)
            if let restart { Terminal.line("takes effect \(restart)") }
        }
    }
}

extension CommandFailure {
    /// What a person is told of a configuration bundle that is not taken.
    init(_ failure: FleetState.Failure) {
        switch failure {
        case .noKeys:
            self.init("this gate knows no operator's key", remedy: "write it into fleet.keys of the configuration")
        case .bundle(let failure): self.init("\(failure)", remedy: failure.remedy, exitCode: 1)
        case .stale(let until):
            self.init(
                "the bundle was to be imported until \(until.rfc3339)",
                remedy: "get the newest one; if this machine's date is wrong set it", exitCode: 1)
        case .rollBack(let offered, let installed):
            self.init(
                "bundle \(offered) is older than bundle \(installed), which is in force",
                remedy: "import the newest one; gates never go back", exitCode: 1)
        case .conflict(let version):
            self.init(
                "another bundle \(version) is in force", remedy: "sign the new one with a higher version", exitCode: 1)
        case .configuration(let failure): self.init(failure.text, remedy: failure.remedy, exitCode: 1)
        case .disk(let error): self.init("\(error)", remedy: error.remedy)
        }
    }
}
