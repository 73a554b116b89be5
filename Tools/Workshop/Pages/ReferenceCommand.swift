import ArgumentParser
import Console
import Credentials
import Encoding
import Features
import Foundation
import Settings
import TrustFiles

/// The command `gatehouse-workshop reference`: prints a page that is made from the program's own tables.
struct ReferenceCommand: PageCommand {
    static let configuration = CommandConfiguration(
        commandName: "reference", abstract: "Prints a reference page: every key, command, event or reason.",
        discussion: """
            Markdown, as in docs/reference: configuration (gatehouse.toml), policy (policy.toml), trust (issuers.toml), \
            commands (of gatehouse), events (of the log); and as docs/reasons.md: reasons. The purpose of a key is read from \
            the comments of the examples. The page catalog has the faults for journalctl --catalog, as deploy/gatehouse.catalog.

            Exit code: 2 when an example cannot be read, or the program does not print its help.
            """)

    /// The names of the pages that the command can print.
    enum Page: String, CaseIterable {
        case configuration, policy, trust, commands, events, reasons, catalog
    }

    /// The largest size of an example file, in bytes. The usual files have about 20 KB.
    private static let limit = 1024 * 1024

    @Argument(help: "The page.")
    var page: String
    @Option(help: ArgumentHelp("Where the example files are.", valueName: "folder"))
    var examples = "deploy"
    @Option(
        help: ArgumentHelp(
            "The gatehouse whose help the page of commands has. By default the one in the folder of this program.",
            valueName: "file"))
    var program: String?

    func text(columns _: Int) throws -> String {
        guard let page = Page(rawValue: page) else {
            throw CommandFailure(
                "there is no page \(Terminal.printable(String(page.prefix(100))))",
                remedy: "name one of \(Page.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        switch page {
        case .configuration: return Self.configurationPage.text(of: try example("gatehouse.toml"))
        case .policy:
            let text = try example("policy.toml")
            let forms: [KeyForm]
            do throws(TOML.SyntaxError) {
                forms = try GatePolicy.forms(of: Array(text.utf8))
            } catch {
                throw CommandFailure(
                    "\(examples)/policy.toml:\(error.line): is not TOML", remedy: "correct the example")
            }
            return Self.policyPage(forms).text(of: text)
        case .trust: return Self.trustPage.text(of: try example("issuers.toml"))
        case .commands: return try CommandsPage(program: program ?? Self.neighbour).text()
        case .events: return EventsPage.text
        case .reasons: return ReasonsPage.text
        case .catalog: return ReasonsCatalog.text
        }
    }

    /// The path of the program `gatehouse` in the folder of this program, from the same build.
    private static var neighbour: String {
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appendingPathComponent("gatehouse").path
    }

    private func example(_ name: String) throws -> String {
        let bytes = try InputFile.bytes(examples + "/" + name, limit: Self.limit)
        guard let text = Text(utf8: bytes) else {
            throw CommandFailure(
                "\(examples)/\(name) is not UTF-8", remedy: "name the folder of the examples: --examples")
        }
        return text.string
    }

    // MARK: - Pages

    static var configurationPage: KeyPage {
        let forms = Configuration.forms
        let names = forms.map { String($0.key.prefix { $0 != "." }) }
        let sections = names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        return KeyPage(
            title: "Configuration",
            lead: """
                The keys of `gatehouse.toml`, their values and their defaults. `make reference` generates this page from the reader \
                of that file and from the comments in `deploy/gatehouse.toml`.
                """,
            parts: sections.map { name in
                .init(section: name, forms: forms.filter { $0.key.hasPrefix(name + ".") })
            }, inner: [])
    }

    private static func policyPage(_ forms: [KeyForm]) -> KeyPage {
        func below(_ table: String, as section: String) -> [KeyForm] {
            let own = forms.filter { $0.key.hasPrefix(table + ".") }
                .map { KeyForm(String($0.key.dropFirst(table.count + 1)), $0.form) }
            return section.isEmpty ? own : within(section, own)
        }
        return KeyPage(
            title: "Policy",
            lead: """
                The keys of a policy file and their values. `make reference` generates this page from the reader of that file and \
                from the comments in `deploy/policy.toml`. The values that a rule reads: [policy.md](../policy.md).
                """,
            parts: [
                .init(section: "", forms: below("a policy", as: "")),
                .init(section: "clock", forms: below("clock", as: "clock")),
                .init(section: "replay", forms: below("replay", as: "replay")),
                .init(section: "deny", forms: below("a [[deny]] rule", as: "deny")),
                .init(section: "accept", forms: below("an [[accept]] rule", as: "accept")),
                .init(section: "test", forms: below("a [[test]]", as: "test")),
            ],
            inner: [
                ("A condition of require or when", below("a condition", as: "")),
                ("A part of hours", below("hours", as: "")),
                ("status, of a rule and of a test", below("status", as: "")),
            ])
    }

    /// Returns the keys with the name of their section and a dot before them, as in the example.
    private static func within(_ section: String, _ forms: [KeyForm]) -> [KeyForm] {
        forms.map { KeyForm("\(section).\($0.key)", $0.form) }
    }

    private static var trustPage: KeyPage {
        KeyPage(
            title: "Trust",
            lead: """
                The keys of `issuers.toml` in the trust directory and their values. `make reference` generates this page from the \
                reader of that file and from the comments in `deploy/issuers.toml`. How to create a trust directory: \
                [trust.md](../trust.md).
                """,
            parts: [
                .init(section: "", forms: TrustDirectory.topForms),
                .init(section: "issuer", forms: within("issuer", TrustDirectory.issuerForms)),
            ], inner: [])
    }
}
