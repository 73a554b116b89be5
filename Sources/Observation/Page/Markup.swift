import Encoding

/// Makes pieces of HTML. All text from outside must pass through ``escaped(_:)``. Values named `html` are already
/// escaped.
enum Markup {
    /// The maximum length of a text in Unicode scalars. A longer text is cut.
    private static let longest = 600

    /// Escapes a text for an element or for an attribute value in double quotes. Control characters become spaces.
    static func escaped(_ text: String) -> String {
        var result = ""
        for (number, scalar) in text.unicodeScalars.enumerated() {
            if number == longest { return result + "…" }
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                // Replace format characters by spaces, too: they can change the writing direction, and so make a text
                // look like another text.
                let isHarmless =
                    scalar.value >= 0x20 && scalar.properties.generalCategory != .format
                    && !(0x7F...0x9F).contains(scalar.value)
                result.unicodeScalars.append(isHarmless ? scalar : " ")
            }
        }
        return result
    }

    /// Returns an HTML table. `head` contains the headings of the columns, and `rows` the cells as HTML.
    static func table(_ caption: String, head: [String], rows: [[String]]) -> String {
        let head = head.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let body = rows.map { cells in "<tr>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>" }.joined(
            separator: "\n")
        return """
            <div class="wide" tabindex="0" role="region" aria-label="\(caption)"><table><caption>\(caption)</caption><thead><tr>\(head)</tr></thead><tbody>
            \(body)
            </tbody></table></div>
            """
    }

    /// Returns an HTML list of names with their values. Leaves out names without a value.
    static func list(_ rows: [(name: String, html: String?)]) -> String {
        let rows = rows.compactMap { row in row.html.map { "<div><dt>\(row.name)</dt><dd>\($0)</dd></div>" } }
        return rows.isEmpty ? "" : "<dl>\n" + rows.joined(separator: "\n") + "\n</dl>"
    }

    /// Returns an HTML section with a heading; an empty text if `html` is empty.
    static func section(_ title: String, _ html: String, class name: String = "card") -> String {
        if html.isEmpty { return "" }
        let id = title.lowercased().map { $0.isLetter ? $0 : "-" }
        return """
            <section class="\(name)" aria-labelledby="\(String(id))"><h2 id="\(String(id))">\(title)</h2>
            \(html)
            </section>
            """
    }
}
