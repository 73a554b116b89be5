import Encoding

/// A page of reference about the keys of a file: what each takes is the program's word, what it is for that of the example's comments.
struct KeyPage {
    /// A table of the program, and the section of the example that shows it.
    struct Part {
        let section: String
        /// What each of its keys takes, in the program's order; by the names that the example has.
        let forms: [KeyForm]
    }

    let title: String
    /// Below the title.
    let lead: String
    let parts: [Part]
    /// Tables inside the others, without a section of their own in the example.
    let inner: [(title: String, forms: [KeyForm])]

    /// The page, of an example.
    func text(of example: String) -> String {
        let read = AnnotatedExample(example, known: Set(parts.flatMap(\.forms).map(\.key)))
        var blocks = ["# \(title)", lead, Markdown.prose(read.introduction)]
        for part in parts {
            guard let section = read.sections.first(where: { $0.name == part.section }) else { continue }
            if !section.header.isEmpty {
                blocks += ["## \(Markdown.plain(section.header))", Markdown.prose(section.meaning)]
            }
            // A section has its own heading.
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

/// Text as Markdown that shows it as it is.
enum Markdown {
    /// Letters between backticks.
    static func code(_ text: String) -> String { "`\(text)`" }

    /// A text without meaning for Markdown.
    static func plain(_ text: String) -> String {
        text.replacing("<", with: "&lt;").replacing("*", with: "\\*").replacing("_", with: "\\_")
            .replacing("[", with: "\\[")
    }

    /// Lines of prose; those that are indented stand as they are, and an empty one begins a paragraph.
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
