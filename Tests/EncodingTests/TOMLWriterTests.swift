import Encoding
import Testing

/// Written TOML reads back as the same table, and an overlay replaces single values.
@Suite struct TOMLWriterTests {
    private func table(_ text: String) throws -> TOMLTable { try TOML.parse(Array(text.utf8)) }

    /// Returns names and values, without line numbers.
    private func content(_ table: TOMLTable) -> [Text: String] {
        func text(_ value: TOML) -> String {
            switch value {
            case .table(let table): "\(content(table).sorted { $0.key < $1.key })"
            case .array(let list): "\(list.map(text))"
            default: "\(value)"
            }
        }
        return Dictionary(uniqueKeysWithValues: table.entries.map { ($0.name, text($0.value)) })
    }

    @Test func everyKindReadsBack() throws {
        let first = try table(
            """
            a = "quo\\"te \\\\ \\u0007 é \\n"
            "key with space" = 1
            b = [1, "two", [true, false], {x = 1.5, y = "z"}]
            none = []
            d = 2026-01-31T08:00:00Z
            f = [inf, -inf, 1e3]
            [deep.er.still]
            x = -7
            [[list]]
            n = 1
            [list.below]
            m = "a"
            [[list]]
            n = 2
            [empty]
            """)
        let again = try table(first.document)
        #expect(content(again) == content(first), "\(first.document)")
        #expect(try table(again.document).document == again.document)
    }

    @Test func anOverlayReplacesValueByValue() throws {
        let common = try table(
            "[gate]\npulse = \"200ms\"\nline = \"GPIO27\"\n[agent]\ninvitations = [\"a\", \"b\"]\n[[display.also]]\nkind = \"file\"\n"
        )
        let own = try table("[kiosk]\nname = \"North\"\n[gate]\npulse = \"300ms\"\n[agent]\ninvitations = [\"c\"]\n")
        let merged = common.overlaid(by: own)
        #expect(
            merged["gate"]?.table?["pulse"]?.string == "300ms" && merged["gate"]?.table?["line"]?.string == "GPIO27")
        #expect(merged["agent"]?.table?["invitations"]?.array?.count == 1)
        #expect(merged["kiosk"]?.table?["name"]?.string == "North")
        #expect(merged["display"]?.table?["also"]?.array?.count == 1)
        #expect(try content(table(merged.document)) == content(merged))
    }
}
