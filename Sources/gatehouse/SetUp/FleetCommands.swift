import Administration
import ArgumentParser
import Clocks
import Commissioning
import Console
import Credentials
import Encoding
import Features
import Foundation
import LinuxIO
import Observation
import Settings
import TrustFiles

extension ConfigCommand {
    struct Bundle: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Packs the configurations of a fleet into a signed bundle, for an operator.",
            discussion: """
                The directory contains common.toml and kiosks/ID.toml for each gate, whose values replace the common \
                ones key by key. Every gate's configuration is assembled and checked first. Each bundle needs a \
                higher number than the previous one: gates never accept an older bundle. The private key stays on the \
                operator's machine.
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
                    guard made.configuration[FleetSection.self].keys.contains(signer.publicKey) else {
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
            commandName: "import", abstract: "Installs this gate's part of a signed configuration bundle.",
            discussion: """
                A key of fleet.keys must have signed it, and it must be newer than the one in force. Everything is checked \
                before anything is changed, including this machine (gatehouse config check --here): a bundle with an error \
                that the configuration in force does not have is refused. A copy of the previous configuration is kept as \
                .before. The service applies the new one by a restart when no visitor is at the gate; the restart is \
                requested whenever the service was started with another configuration, even if the bundle was already \
                installed. With --json, `restarts` is true for such a restart, false if the service has to be restarted by \
                hand, and null if it already uses the configuration.

                Exit code: 0 when it is installed, 1 when it is refused, 2 for usage or input/output errors.
                """)
        @OptionGroup var input: ConfigurationInput
        @Flag(help: "Do not restart the running service.")
        var noRestart = false
        @Flag(help: "Install it although this machine lacks something that it names, such as a file that comes later.")
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

        /// Refuses a configuration with which this machine has an error that it does not have with the configuration in
        /// force.
        private func refuse(
            _ new: Configuration, insteadOf old: Configuration
        ) throws(FleetConfiguration.Failure) {
            let known = Set(errors(old).map { [$0.code ?? "", $0.detail] })
            let found = errors(new).filter { !known.contains([$0.code ?? "", $0.detail]) }
            guard let first = found.first else { return }
            throw FleetConfiguration.Failure(
                text: "this machine lacks what it names: "
                    + found.map { "\($0.detail) (\($0.code ?? $0.check.rawValue))" }.joined(separator: "\n"),
                remedy: (first.remedy ?? "see gatehouse doctor") + "; or install it anyway: --anyway")
        }

        private func errors(_ configuration: Configuration) -> [Finding] {
            let facts = MachineProbe(root: "", clock: Machine.clock).facts(
                configuration, file: input.absolutePath, made: ProductVersion.made, asksService: false)
            return Doctor(configuration, facts).findings.filter { $0.state == .bad }
        }

        /// How the running service takes over the new configuration.
        private enum TakingOver {
            /// The service was started with the new configuration and already uses it.
            case done
            /// The service has accepted the request for a restart and takes over the configuration by it.
            case restarting
            /// The service takes over the configuration at its next start: it is not running, or listens at an unknown
            /// socket.
            case atStart
            /// The running service takes over the configuration at its next start, because it did not accept the
            /// request for a restart. The text is the reason.
            case refused(String)
        }

        /// Requests a restart from the running service, unless the service was started with the present content of the
        /// file. So an operator can repeat an import after any interruption, such as a full disk or a lost answer.
        ///
        /// The service listens at the control socket of the configuration with which it was started. This may be the
        /// replaced configuration, the configuration before that, or the new one, so all three sockets are tried.
        private func takeOver(_ replaced: Configuration, before: Configuration?) -> TakingOver {
            guard let new = try? input.load(.roots) else { return .atStart }
            let known = [replaced, before, new].compactMap(\.self)
            var asked: Set<String> = []
            for case let path? in known.map(\.control.path) where asked.insert(path).inserted {
                let question = ControlQuestion(socket: path, input: input)
                do {
                    // Ignore a socket at which another gate of this machine listens.
                    guard let status = try question.answer(to: .status).map({ StatusReport($0) }),
                        known.contains(where: { status.name == Text($0.kiosk.name) })
                    else { continue }
                    if status.configuration == Text(new.digest) { return .done }
                    let answer = try question.answer(to: .restart)
                    return answer?["restarts"]?.bool == true ? .restarting : .refused("it does not support the request")
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
                    (isNew ? "installed: configuration " : "already installed: configuration ") + edition.name)
            }
            switch takingOver {
            case .refused(let why):
                Terminal.error(
                    "the running service keeps its previous configuration: \(why)",
                    remedy: input.places.told("restart it: systemctl restart gatehouse"))
            case .restarting where !json: Terminal.line("takes effect when no visitor is at the gate")
            case .atStart where !json: Terminal.line("takes effect at the next start of the service")
            case .done where !json && isNew: Terminal.line("the running service uses it")
            default: break
            }
        }
    }
}

extension CommandFailure {
    /// Creates the failure for a configuration bundle that was refused.
    init(_ failure: FleetState.Failure) {
        switch failure {
        case .noKeys:
            self.init(
                "no operator's key is configured on this gate",
                remedy: "add it to fleet.keys in the "
                    + "configuration")
        case .bundle(let failure): self.init("\(failure)", remedy: failure.remedy, exitCode: 1)
        case .stale(let until):
            self.init(
                "the bundle was to be imported until \(until.rfc3339)",
                remedy: "get the newest one; if this machine's date is wrong set it", exitCode: 1)
        case .rollBack(let offered, let installed):
            self.init(
                "bundle \(offered) is older than bundle \(installed), which is in force",
                remedy: "import the newest one; gates never accept an older bundle", exitCode: 1)
        case .conflict(let version):
            self.init(
                "another bundle \(version) is in force", remedy: "sign the new one with a higher version", exitCode: 1)
        case .configuration(let failure): self.init(failure.text, remedy: failure.remedy, exitCode: 1)
        case .disk(let error): self.init("\(error)", remedy: error.remedy)
        }
    }
}
