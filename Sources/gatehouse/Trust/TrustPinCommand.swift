import ArgumentParser
import Console
import Credentials
import Encoding
import LinuxIO
import TrustFiles

extension TrustCommand {
    struct Pin: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds the data that `needs` lists to a trust directory.",
            discussion: """
                Pinned data are trusted: compare them with their owner's publications. Everything is checked before \
                anything is written, comments and order of your files stay, and other existing entries stay unless \
                you give --replace. Distribute the directory with gatehouse trust import or bundle.

                Exit code: 0 when it is pinned, 1 when something else is pinned, 2 when it cannot be pinned.
                """,
            subcommands: [Context.self, Document.self, Root.self, Issuer.self, StatusList.self])

        /// The arguments of all `pin` commands: the trust directory and the options.
        struct Target: ParsableArguments {
            @Option(help: ArgumentHelp("The trust directory; created if it does not exist.", valueName: "directory"))
            var trust: String?
            @Flag(help: "Replace other existing data.")
            var replace = false
            @Flag(help: "One JSON object, for machines.")
            var json = false

            /// Runs `work` on the trust directory, and prints the result.
            func pin(_ work: (TrustPin) throws(TrustPin.Failure) -> TrustPin.Outcome) throws {
                guard let trust else {
                    throw CommandFailure(
                        "no directory to pin into", remedy: "name the trust directory: --trust DIRECTORY")
                }
                CommandRole.take(for: trust)
                let outcome: TrustPin.Outcome
                do throws(TrustPin.Failure) {
                    outcome = try work(TrustPin(trust, replaces: replace))
                } catch { throw CommandFailure(error) }
                if json { return Terminal.json(Self.json(outcome)) }
                let word = outcome.files.isEmpty ? "already pinned" : "pinned"
                Terminal.line(Terminal.printable("\(word): \(outcome.id)"))
                for fact in outcome.facts { Terminal.line("  " + Terminal.printable(fact)) }
                for file in outcome.files { Terminal.line("  written: " + Terminal.printable("\(trust)/\(file)")) }
                if let line = outcome.line {
                    Terminal.line("  for tokens add it to the entry of their issuer, or give --issuer:")
                    Terminal.line("  " + line)
                    Terminal.line("  for mdocs: gatehouse trust pin issuer \(outcome.id) --type DOCTYPE")
                }
            }

            private static func json(_ outcome: TrustPin.Outcome) -> JSON {
                var line: JSONObject = [
                    "id": .string(outcome.id), "isNew": .bool(!outcome.files.isEmpty),
                    "files": .array(outcome.files.map { .text($0) }), "facts": .array(outcome.facts.map { .text($0) }),
                ]
                if let text = outcome.line { line["line"] = .text(text) }
                return .object(line)
            }
        }

        struct Context: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Pins a JSON-LD context under its URL, with its SHA-256.")
            @OptionGroup var target: Target
            @Argument(help: ArgumentHelp("The URL that credentials use.", valueName: "url"))
            var url: String
            @Argument(
                help: ArgumentHelp("The document; default: the built-in one.", valueName: "file"))
            var file: String?

            func run() async throws {
                let bytes = try file.map { try InputFile.bytes($0) }
                try target.pin { pin throws(TrustPin.Failure) in try pin.context(Text(url), bytes) }
            }
        }

        struct Document: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract:
                    "Pins a DID document, another controller document, a single key, or a JWT VC issuer's metadata.")
            @OptionGroup var target: Target
            @Argument(help: ArgumentHelp("The document (JSON).", valueName: "file"))
            var file: String

            func run() async throws {
                let bytes = try InputFile.bytes(file)
                try target.pin { pin throws(TrustPin.Failure) in try pin.document(bytes) }
            }
        }

        struct Root: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Pins an X.509 root, and the issuer that it is for.",
                discussion: """
                    With --issuer it is for the tokens of that issuer. For mdocs the root needs its own entry with \
                    their docTypes: gatehouse trust pin issuer x509:sha256:… --type DOCTYPE.
                    """)
            @OptionGroup var target: Target
            @Option(help: ArgumentHelp("The issuer whose entry names it.", valueName: "id"))
            var issuer: String?
            @Argument(help: ArgumentHelp("The certificate (PEM).", valueName: "file"))
            var file: String

            func run() async throws {
                let bytes = try InputFile.bytes(file)
                try target.pin { pin throws(TrustPin.Failure) in
                    try pin.root(bytes, issuer: issuer.map { Text($0) })
                }
            }
        }

        struct Issuer: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Trusts an issuer: adds its entry to issuers.toml, or lines to it.",
                discussion: """
                    An issuer's credentials are admitted by the types in its entry: give --type, or --credential with \
                    one of its credentials. Each option from --group on may be given more than once and adds to a list.
                    """)
            @OptionGroup var target: Target
            @Option(help: ArgumentHelp("strict, or did-wide: its document names only the bare DID.", valueName: "name"))
            var keyPurpose: String?
            @Flag(help: "Its credentials may contain inline contexts.")
            var inlineContexts = false
            @Option(
                help: ArgumentHelp("One of its credentials, whose types are added to its entry.", valueName: "file"))
            var credential: String?
            @Option(name: .customLong("group"), help: ArgumentHelp("A group for policies.", valueName: "name"))
            var groups: [String] = []
            @Option(
                name: .customLong("type"),
                help: ArgumentHelp(
                    "A type that it may issue and that is admitted: IRI, vct or docType.", valueName: "type"))
            var types: [String] = []
            @Option(
                name: .customLong("context"),
                help: ArgumentHelp("A context that it may use. (default: all)", valueName: "url"))
            var contexts: [String] = []
            @Option(
                name: .customLong("controller"),
                help: ArgumentHelp("Another id whose keys may sign for it.", valueName: "id"))
            var controllers: [String] = []
            @Option(
                name: .customLong("status-issuer"),
                help: ArgumentHelp("Another id that may sign its status lists.", valueName: "id"))
            var statusIssuers: [String] = []
            @Option(
                name: .customLong("status-list"),
                help: ArgumentHelp("A list that the refresher fetches.", valueName: "url"))
            var statusLists: [String] = []
            @Argument(help: ArgumentHelp("The issuer id in its credentials.", valueName: "id"))
            var id: String

            func run() async throws {
                var settings = IssuerSettings()
                if let keyPurpose {
                    guard let purpose = TrustedIssuer.KeyPurpose(rawValue: keyPurpose) else {
                        throw CommandFailure(
                            "there is no key purpose \(keyPurpose)", remedy: "use strict or did-wide")
                    }
                    settings.keyPurpose = purpose
                }
                if inlineContexts { settings.inlineContexts = true }
                settings.groups = groups.map { Text($0) }
                settings.types = try types.map { Text($0) } + (credential.map(typesOf) ?? [])
                settings.contexts = contexts.map { Text($0) }
                settings.controllers = controllers.map { Text($0) }
                settings.statusIssuers = statusIssuers.map { Text($0) }
                settings.statusLists = statusLists.map { Text($0) }
                try target.pin { pin throws(TrustPin.Failure) in try pin.issuer(Text(id), settings) }
            }

            /// Returns the types of the credential in a file that the issuer's entry in the trust data lacks. The types
            /// are those that the file claims; nothing is verified.
            private func typesOf(_ file: String) throws -> [Text] {
                let store = try TrustCommand.store(toBe: target.trust)
                let needs = TrustNeeds(of: try InputFile.bytes(file), in: store)
                guard let need = needs.needs.first(where: { $0.kind == .issuer && $0.id == Text(id) }) else {
                    throw CommandFailure(
                        "\(file) is not a credential of \(id)", remedy: "see: gatehouse trust needs \(file)")
                }
                guard !need.types.isEmpty || store.issuer(Text(id))?.types != nil else {
                    throw CommandFailure(
                        "the types of \(file) are unknown while its contexts are not pinned",
                        remedy: "pin them first: gatehouse trust needs \(file) lists them")
                }
                return need.types
            }
        }

        struct StatusList: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Stores a status list under the URL that credentials name.",
                discussion: "The refresher keeps lists fresh that an issuer's entry names; see trust refresh.")
            @OptionGroup var target: Target
            @Argument(help: ArgumentHelp("The URL that credentials use.", valueName: "url"))
            var url: String
            @Argument(help: ArgumentHelp("The list as its issuer publishes it.", valueName: "file"))
            var file: String

            func run() async throws {
                let bytes = try InputFile.bytes(file)
                try target.pin { pin throws(TrustPin.Failure) in try pin.statusList(Text(url), bytes) }
            }
        }
    }
}

extension CommandFailure {
    /// Creates the failure for data that were not pinned.
    init(_ failure: TrustPin.Failure) {
        switch failure {
        case .unusable(let message, let remedy): self.init(message, remedy: remedy)
        case .differs(let message, let remedy): self.init(message, remedy: remedy, exitCode: 1)
        case .directory(let error):
            self = .problems("the trust directory", error.problems.count, error.description)
        case .disk(let error): self.init("\(error)", remedy: error.remedy)
        }
    }
}
