import Encoding

/// A reference page about the keys of a file. The form of each value comes from the program, the purpose of each key
/// from the comments of the example file.
struct KeyPage {
    /// The keys of one table of the program, and the name of the section that shows them in the example.
    struct Part {
        let section: String
        /// The form of each key's value, in the program's order. A key is named as in the example.
        let forms: [KeyForm]
    }

    let title: String
    /// The text between the title and the example's introduction.
    let lead: String
    let parts: [Part]
    /// The tables inside other tables, which have no section of their own in the example.
    let inner: [(title: String, forms: [KeyForm])]

    /// Returns the page, with the comments of the example file.
    func text(of example: String) -> String {
        let read = AnnotatedExample(example, known: Set(parts.flatMap(\.forms).map(\.key)))
        var blocks = ["# \(title)", lead, Markdown.prose(read.introduction)]
        for part in parts {
            guard let section = read.sections.first(where: { $0.name == part.section }) else { continue }
            if !section.header.isEmpty {
                blocks += ["## \(Markdown.plain(section.header))", Markdown.prose(section.meaning)]
            }
            // Omit keys that are themselves sections: they have headings of their own.
            blocks += Self.blocks(section, part.forms.filter { form in !parts.contains { $0.section == form.key } })
        }
        for table in inner { blocks += ["## \(table.title)", Self.list(table.forms)] }
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private static func blocks(_ section: AnnotatedExample.Section, _ forms: [KeyForm]) -> [String] {
        var blocks: [String] = []
        var told: Set<String> = []
        for entry in section.entries where !entry.meaning.isEmpty {
            let shown = entry.keys.compactMap { key in forms.first { $0.key == key } }
            guard !shown.isEmpty else { continue }
            told.formUnion(shown.map(\.key))
            blocks += ["### \(shown.map { Markdown.code($0.key) }.joined(separator: ", "))", list(shown)]
            blocks.append(Markdown.prose(entry.meaning))
            if !entry.example.isEmpty {
                blocks.append((["```toml"] + entry.example + ["```"]).joined(separator: "\n"))
            }
        }
        let others = forms.filter { !told.contains($0.key) }
        if !others.isEmpty { blocks += told.isEmpty ? [list(others)] : ["### Other keys", list(others)] }
        return blocks
    }

    private static func list(_ forms: [KeyForm]) -> String {
        forms.map { form in
            let standard = form.standard.map { $0 == "\"\"" ? "; default: empty" : "; default: \(Markdown.code($0))" }
            return "- \(Markdown.code(form.key)): \(Markdown.plain(form.form))\(standard ?? "")"
        }.joined(separator: "\n")
    }
}

/// Converts texts to Markdown that renders them unchanged.
enum Markdown {
    /// Returns the text as inline code.
    static func code(_ text: String) -> String { "`\(text)`" }

    /// Returns the text with Markdown's special characters escaped.
    static func plain(_ text: String) -> String {
        text.replacing("<", with: "&lt;").replacing("*", with: "\\*").replacing("_", with: "\\_")
            .replacing("[", with: "\\[")
    }

    /// Returns lines of prose as Markdown. Lines that begin with two spaces become a block of code, and an empty line
    /// begins a new paragraph.
    static func prose(_ lines: [String]) -> String {
        var blocks: [(isCode: Bool, lines: [String])] = []
        for line in lines {
            let isCode = line.hasPrefix("  ")
            if line.isEmpty {
                blocks.append((false, []))
            } else if let last = blocks.last, last.isCode == isCode {
                blocks[blocks.count - 1].lines.append(line)
            } else {
                blocks.append((isCode, [line]))
            }
        }
        return blocks.filter { !$0.lines.isEmpty }.map { block in
            block.isCode
                ? (["```text"] + block.lines.map { String($0.dropFirst(2)) } + ["```"]).joined(separator: "\n")
                : plain(block.lines.joined(separator: "\n"))
        }.joined(separator: "\n\n")
    }
}
