import Administration
import ArgumentParser
import Clocks
import Commissioning
import Credentials
import Encoding
import Foundation
import LinuxIO
import Settings
import TrustFiles

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
                for (path, kiosks) in try fleet.filesToBring(in: folder) {
                    Terminal.line(
                        "not in it: \(path), which must be at \(kiosks.joined(separator: ", ")) before the import")
                }
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
                anything is changed, also whether this machine has what it names (gatehouse config check --here): a bundle that \
                brings an error which the configuration in force does not have is refused. The configuration before stays beside it as .before. The service takes it over by a \
                restart in a moment without a visitor; it is asked for whenever the service was started with another one, also when \
                the bundle was in place already. With --json `restarts` says whether it does that: false where it has to be \
                started by hand, null where it has the configuration.

                Exit code: 0 when it is in place, 1 when it is refused, 2 for usage or input/output errors.
                """)
        @OptionGroup var input: ConfigurationInput
        @Flag(help: "Leaves the running service as it is until its next start.")
        var noRestart = false
        @Flag(help: "Takes it although this machine lacks what it names, such as a file that comes later.")
        var anyway = false
        @Flag(help: "One JSON object, for machines.")
        var json = false
        @Argument(help: ArgumentHelp("The bundle.", valueName: "file"))
        var file: String

        func run() async throws {
            let bytes = try InputFile.bytes(file, limit: TrustBundle.Limits().bytes)
            let configuration = try input.load(.roots)
            let state = FleetState(configuration, file: input.path)
            do throws(FleetState.Failure) {
                let (edition, isNew) = try state.install(bytes, at: Machine.clock.utc()) {
                    new throws(FleetConfiguration.Failure) in
                    if !anyway { try refuse(new, insteadOf: configuration) }
                }
                tell(edition, isNew: isNew, noRestart ? nil : takeOver(configuration, before: state.before))
            } catch { throw CommandFailure(error) }
        }

        /// Refuses a configuration with which this machine would have an error that it does not have with the
        /// configuration in force.
        private func refuse(
            _ new: Configuration, insteadOf old: Configuration
        ) throws(FleetConfiguration.Failure) {
            let known = Set(errors(old).map { [$0.code ?? "", $0.detail] })
            let found = errors(new).filter { !known.contains([$0.code ?? "", $0.detail]) }
            guard let first = found.first else { return }
            throw FleetConfiguration.Failure(
                text: "this machine lacks what it names: "
                    + found.map { "\($0.detail) (\($0.code ?? $0.check.rawValue))" }.joined(separator: "\n"),
                remedy: (first.remedy ?? "see gatehouse doctor") + "; or take it as it is: --anyway")
        }

        private func errors(_ configuration: Configuration) -> [Finding] {
            let facts = MachineLook(root: "", clock: Machine.clock).facts(
                configuration, file: input.absolutePath, made: ProductVersion.made, asksService: false)
            return Doctor(configuration, facts).findings.filter { $0.state == .bad }
        }

        /// How the running service gets the new configuration.
        private enum TakingOver {
            /// The service was started with the new configuration.
            case done
            /// The service takes over the configuration by a restart, which was requested.
            case restarting
            /// At the next start: the service does not run, or does not listen where it could be asked.
            case atStart
            /// The service takes over the configuration at its next start: it is running, but does not carry
            /// out the request. The text is the reason.
            case refused(String)
        }

        /// Asks the running service for a restart, unless it was started with the present content of the
        /// file. So the same import can be repeated after any interruption, such as a full disk or a lost
        /// answer. The service listens at the socket of the configuration with which it was started. That may
        /// be the replaced configuration, the one before it, or the new one.
        private func takeOver(_ replaced: Configuration, before: Configuration?) -> TakingOver {
            guard let new = try? input.load(.roots) else { return .atStart }
            let known = [replaced, before, new].compactMap(\.self)
            var asked: Set<String> = []
            for case let path? in known.map(\.control.path) where asked.insert(path).inserted {
                let question = ControlQuestion(socket: path, input: input)
                do {
                    // Another gate on this machine may listen at that socket.
                    guard let status = try question.answer(to: .status),
                        known.contains(where: { status["name"]?.string == Text($0.kiosk.name) })
                    else { continue }
                    if status["configuration"]?.string == Text(new.digest) { return .done }
                    let answer = try question.answer(to: .restart)
                    return answer?["restarts"]?.bool == true ? .restarting : .refused("it does not know the request")
                } catch { return .refused((error as? CommandFailure)?.message ?? "\(error)") }
            }
            return .atStart
        }

        private func tell(_ edition: TrustEdition, isNew: Bool, _ takingOver: TakingOver?) {
            let restarts: JSON =
                switch takingOver {
                case .done, nil: .null
                case .restarting: true
                case .atStart, .refused: false
                }
            if json {
                Terminal.json(["version": .text(edition.name), "isNew": .bool(isNew), "restarts": restarts])
            } else {
                Terminal.line(
                    (isNew ? "in place: configuration " : "was in place already: configuration ") + edition.name)
            }
            switch takingOver {
            case .refused(let why):
                Terminal.error(
                    "the running service keeps the configuration of before: \(why)",
                    remedy: input.places.told("restart it: systemctl restart gatehouse"))
            case .restarting where !json: Terminal.line("takes effect when nobody is at the gate")
            case .atStart where !json: Terminal.line("takes effect at the next start of the service")
            case .done where !json && isNew: Terminal.line("the running service has it")
            default: break
            }
        }
    }
}

extension CommandFailure {
    /// Creates the failure about a refused configuration bundle, for a person.
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
