import ArgumentParser
import Console
import Credentials
import Encoding
import LinuxIO
import Reasons
import TrustFiles

extension TrustCommand {
    struct Needs: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists everything that credentials need in order to be accepted.",
            discussion: """
                Accepts the same files as verify. Nothing is fetched, verified or trusted: a file may come from a \
                stranger. Compare ids and hashes with the issuer's publications, then pin them with gatehouse trust pin.

                Exit code: 0 when nothing is missing, 1 when something is missing, 2 for usage or input/output errors.
                """)
        @Option(
            help: ArgumentHelp(
                "The trust directory to compare with; it need not exist yet.",
                valueName: "directory"))
        var trust: String?
        @Flag(help: "One JSON object per line, for machines.")
        var json = false
        @Argument(help: ArgumentHelp("Files; - is standard input.", valueName: "file"))
        var files: [String]

        func run() async throws {
            guard !files.isEmpty else {
                throw CommandFailure("no file given", remedy: "gatehouse trust needs FILE…")
            }
            let store = try TrustCommand.store(toBe: trust)
            var worst: Int32 = 0
            for file in files {
                let bytes: [UInt8]
                do {
                    bytes = try InputFile.bytes(file)
                } catch let failure as CommandFailure {
                    Terminal.error(failure.message, remedy: failure.remedy)
                    worst = failure.exitCode
                    continue
                }
                let needs = TrustNeeds(of: bytes, in: store)
                if !needs.isComplete { worst = max(worst, 1) }
                let report = TrustNeedsReport(file: file, needs: needs, directory: trust ?? "DIR")
                if json {
                    Terminal.json(text: report.jsonLine)
                } else {
                    report.print()
                }
            }
            if worst != 0 { throw ExitCode(worst) }
        }
    }

    /// Returns the content of the trust directory at a path. An absent directory counts as empty, and so does nil.
    static func store(toBe directory: String?) throws -> TrustStore {
        guard let directory, FileObstacle(folder: directory) != .absent else {
            var material = TrustMaterial()
            material.untypedIssuers = .refuse
            return try TrustStore(material)
        }
        return try reading(directory).store
    }
}

/// The output of `gatehouse trust needs` for one file.
struct TrustNeedsReport {
    let file: String
    let needs: TrustNeeds
    /// The path of the trust directory, for the commands that the output proposes.
    let directory: String

    // MARK: - JSON output

    /// The output as one line of JSON:
    /// `{"file","format"?,"complete","believed":false,"needs":[…],"omitted"?,"reason"?,"unsupported"?}`. Each need is
    /// `{"kind","id"?,"present",…}`.
    var jsonLine: String {
        var line: JSONObject = ["file": .text(file)]
        if let format = needs.format { line["format"] = .text(format.rawValue) }
        line["complete"] = .bool(needs.isComplete)
        line["believed"] = false
        line["needs"] = .array(needs.needs.map(Self.json))
        if needs.omitted > 0 { line["omitted"] = .int(needs.omitted) }
        if let refusal = needs.refusal { line["reason"] = .text(refusal.code.text) }
        if let format = needs.unsupported { line["unsupported"] = .text(format.rawValue) }
        return JSON.object(line).compactText
    }

    private static func json(_ need: TrustNeeds.Need) -> JSON {
        var object: JSONObject = ["kind": .text(need.kind.rawValue)]
        if let id = need.id { object["id"] = .string(id) }
        object["present"] = .bool(need.isPresent)
        if let name = need.name { object["name"] = .text(name) }
        if !need.keys.isEmpty { object["keys"] = .array(need.keys.map { .string($0) }) }
        if let address = need.address { object["address"] = .string(address) }
        if let hash = need.builtIn { object["builtIn"] = .text(hash) }
        if !need.lines.isEmpty { object["lines"] = .array(need.lines.map { .text($0) }) }
        return .object(object)
    }

    // MARK: - Text output

    func print() {
        let format = needs.format?.rawValue ?? "not a supported credential"
        Terminal.line(Terminal.styled(Terminal.printable(file), .bold) + ": \(format)")
        if let refusal = needs.refusal {
            let place = refusal.pointer.map { " at \($0)" } ?? ""
            let meaning = needs.unsupported.map { "It is \($0.title)." } ?? refusal.code.meaning
            Terminal.line(Terminal.printable("  \(refusal.code)\(place): \(meaning)"))
        }
        guard !needs.needs.isEmpty else {
            if needs.refusal == nil { Terminal.line("  It names no issuer, key or root: there is nothing to pin.") }
            return
        }
        Terminal.line("  Its own statements; nothing is verified or trusted.")
        for need in needs.needs { show(need) }
        if needs.omitted > 0 { Terminal.line("  and \(needs.omitted) more, too many or too long to show") }
        let missing = needs.needs.filter { !$0.isPresent }
        guard !missing.isEmpty else { return Terminal.line(Terminal.styled("  Nothing is missing.", .green)) }
        let count = "\(missing.count) of \(needs.needs.count) missing."
        var lines: [String] = []
        for command in missing.flatMap(commands) where !lines.contains(command) { lines.append(command) }
        let advice =
            lines.isEmpty
            ? "Compare with the issuer's publications." : "Compare with the issuer's publications, then:"
        Terminal.line(Terminal.styled("  \(count)", .amber) + " " + advice)
        for command in lines { Terminal.line("    " + Terminal.printable(command)) }
        if missing.contains(where: { $0.kind == .document || $0.kind == .context || $0.kind == .statusList }) {
            Terminal.line("  Then run this again: documents, contexts and lists may need more.")
        }
    }

    private func show(_ need: TrustNeeds.Need) {
        let mark = need.isPresent ? Terminal.styled("have", .green) : Terminal.styled("need", .amber)
        let name = need.name ?? need.id?.string ?? ""
        Terminal.line("  \(mark)  \(need.kind.rawValue.padding(to: 11))  \(Terminal.printable(name))")
        // Print the id on a line of its own, so that no line is wider than 80 columns.
        if need.name != nil { Terminal.line("    " + (need.id?.string ?? "which it does not contain")) }
        for detail in Self.details(need) { Terminal.line("        " + Terminal.printable(detail)) }
    }

    private static func details(_ need: TrustNeeds.Need) -> [String] {
        var details: [String] = []
        details += need.keys.filter { $0 != need.id }.map { "key \($0)" }
        guard !need.isPresent else { return details }
        if let address = need.address, address != need.id { details.append("published at \(address)") }
        if let hash = need.builtIn { details += ["built in; its SHA-256:", hash] }
        for line in need.lines {
            if line.hasPrefix("controllers") || line.hasPrefix("status-issuers") {
                details.append("signed by another party. Only if the issuer itself publishes that this is intended:")
                details.append("    " + line)
            } else if need.isListed {
                details.append("is listed; its entry lacks \(line)")
            }
        }
        return details
    }

    /// Returns the commands that would pin the missing data, with a name in capitals for each file that the issuer has
    /// to provide. Empty if an issuer's entry lacks only lines that no command writes.
    private func commands(_ need: TrustNeeds.Need) -> [String] {
        let id = Self.word(need.id?.string ?? "")
        var pins: [String] = []
        switch need.kind {
        case .issuer:
            let options = need.lines.compactMap(Self.option).joined()
            if !need.isListed || !options.isEmpty { pins.append("issuer \(id)" + options) }
            if need.lines.contains(where: { $0.hasPrefix("roots") }) { pins.append("root FILE.pem --issuer \(id)") }
        case .root: pins.append("root FILE.pem" + (issuer.map { " --issuer \(Self.word($0))" } ?? ""))
        case .document: pins.append("document FILE.json")
        case .context: pins.append("context \(id)" + (need.builtIn == nil ? " FILE.jsonld" : ""))
        case .statusList: pins.append("status-list \(id) FILE")
        }
        return pins.map { "gatehouse trust pin \($0) --trust \(Self.word(directory))" }
    }

    /// The only issuer that the credential names, to which a missing root could belong; nil if there are none or
    /// several.
    private var issuer: String? {
        let issuers = needs.needs.filter { $0.kind == .issuer }
        return issuers.count == 1 ? issuers[0].id?.string : nil
    }

    /// Returns a line of an issuer's entry, such as `key-purpose = "did-wide"`, as an option of `trust pin issuer`.
    /// Returns nil for a line that `pin root` writes. Also returns nil for a line that permits other parties to sign
    /// for the issuer: a person should not paste such a line without thinking.
    private static func option(_ line: String) -> String? {
        guard let entry = (try? TOML.parse(Array(line.utf8)))?.entries.first else { return nil }
        let values = entry.value.array?.compactMap(\.string) ?? [entry.value.string].compactMap(\.self)
        let name: String
        switch entry.name {
        case "inline-contexts": return " --inline-contexts"
        case "contexts": name = "context"
        case "types": name = "type"
        case "key-purpose": name = "key-purpose"
        default: return nil
        }
        return values.map { " --\(name) \(word($0.string))" }.joined()
    }

    /// Returns a text, in quotation marks if necessary, as one word of a shell: a stranger may have written it, and a
    /// person may paste it.
    private static func word(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { letter in
            (0x30...0x39).contains(letter) || (0x61...0x7A).contains(letter | 0x20)
                || "-._~:/%@+,=#?".utf8.contains(letter)
        }
        let isPlain = plain && !text.isEmpty && !text.hasPrefix("-") && !text.contains("?") && !text.hasPrefix("~")
        return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
    }
}

extension String {
    /// Returns the text, padded with blanks to `width` characters.
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
