import Encoding
import Testing

private func parse(_ text: String) throws(TOML.SyntaxError) -> TOMLTable { try TOML.parse(Array(text.utf8)) }

/// Returns the value as JSON-like text, for short expectations.
private func show(_ value: TOML) -> String {
    switch value {
    case .string(let text): "\"\(text)\""
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .dateTime(let text): "@\(text)"
    case .array(let elements): "[" + elements.map(show).joined(separator: ",") + "]"
    case .table(let table): show(table)
    }
}

private func show(_ table: TOMLTable) -> String {
    "{" + table.entries.map { "\($0.name):\(show($0.value))" }.joined(separator: ",") + "}"
}

@Suite("TOML 1.0.0")
struct TOMLTests {
    @Test(
        "documents",
        arguments: [
            ("", "{}"), ("# only a comment", "{}"), ("a=1\r\nb = 2 # two\r\n", "{a:1,b:2}"),
            ("\"\" = 1\n'q k' = 2\n1-2_x = 3", "{:1,q k:2,1-2_x:3}"),
            ("a.b.c = 1\na . b . d = 2\na.\"x.y\" = 3", "{a:{b:{c:1,d:2},x.y:3}}"),
            ("[a]\nx=1\n[ a . b ]\ny=2\n[c]", "{a:{x:1,b:{y:2}},c:{}}"),
            ("[a.b]\nx=1\n[a]\ny=2", "{a:{b:{x:1},y:2}}"),
            ("[[p]]\nn=1\n[p.q]\nz=0\n[[p.r]]\n[[p]]\nn=2", "{p:[{n:1,q:{z:0},r:[{}]},{n:2}]}"),
            ("[f]\na.c=1\n[f.a.t]\nx=2", "{f:{a:{c:1,t:{x:2}}}}"),
            ("x = { a = 1, b.c = [ 1, 2, ], d = {} }", "{x:{a:1,b:{c:[1,2]},d:{}}}"),
            ("x = [\n  1, # one\n\n  [\"a\", 'b'],\n]", "{x:[1,[\"a\",\"b\"]]}"),
            ("i = [0, -0, +99, 1_000, 0xDEAD_beef, 0o755, 0b1101]", "{i:[0,0,99,1000,3735928559,493,13]}"),
            ("i = [9223372036854775807, -9223372036854775808]", "{i:[9223372036854775807,-9223372036854775808]}"),
            ("f = [1.0, -0.5, 5e+2, 6.25E-2, 1_0.0_1, inf, -inf]", "{f:[1.0,-0.5,500.0,0.0625,10.01,inf,-inf]}"),
            ("b = [true,false]", "{b:[true,false]}"),
            (
                "d = [2026-01-02T03:04:05Z, 2026-01-02 03:04:05.5+02:00, 2026-01-02T03:04:05, 2026-01-02, 03:04:05.25]",
                "{d:[@2026-01-02T03:04:05Z,@2026-01-02 03:04:05.5+02:00,@2026-01-02T03:04:05,@2026-01-02,@03:04:05.25]}"
            ),
            ("s = \"a\\tb\\\"\\\\\\u00E9\\U0001F600 ü\"", "{s:\"a\tb\"\\é😀 ü\"}"), ("s = 'C:\\x'", "{s:\"C:\\x\"}"),
            ("s = \"\"\"\none\n two \\\n\n   three\"\"\"", "{s:\"one\n two three\"}"),
            ("s = \"\"\"a\"\"b\"\"\"\"\"", "{s:\"a\"\"b\"\"\"}"), ("s = '''\r\na''b\\n'''''", "{s:\"a''b\\n''\"}"),
            ("s = \"\"", "{s:\"\"}"), ("s = ''''''", "{s:\"\"}"),
        ])
    func documents(_ text: String, _ expected: String) throws {
        #expect(show(try parse(text)) == expected)
    }

    @Test(
        "refused documents, and the line of the fault",
        arguments: [
            ("a", 1), ("a =", 1), ("a = \nb = 1", 1), ("= 1", 1), ("a = 1 b = 2", 1), ("\na = 1\n[]", 3), ("[a", 1),
            ("[[a]", 1), ("[a]]", 1), ("[ [a]]", 1), ("[.a]", 1), ("[a.]", 1), ("[a]\n[a]", 2), ("a=1\na=2", 2),
            ("a=1\na.b=2", 2), ("a.b=1\na=2", 2), ("[a]\nb=1\n[a.b]", 3), ("[a]\nb.c=1\n[a.b]", 3),
            ("[a.b.c]\nz=9\n[a]\nb.c.t=1", 4), ("[[a]]\n[a]", 2), ("[a]\n[[a]]", 2), ("a=[]\n[[a]]", 2),
            ("a={}\n[a.b]", 2), ("a={b=1}\na.c=2", 2), ("a={b=1,}", 1), ("a={b=1\n}", 1), ("a=[1 2]", 1), ("a=[1", 1),
            ("a=,", 1), ("a=[,]", 1), ("a = \"x", 1), ("a = \"x\ny\"", 1), ("a = '''x", 1), ("\"\"\"a\"\"\" = 1", 1),
            ("a = \"\\x\"", 1), ("a = \"\\u12\"", 1), ("a = \"\\uD800\"", 1), ("a = \"\\U00110000\"", 1),
            ("a = \"\"\"x\"\"\"\"\"\"", 1), ("a = \"\u{1}\"", 1), ("# \u{7F}", 1), ("a = 1\rb = 2", 1),
            ("a = yes", 1), ("a = True", 1), ("a = 01", 1), ("a = 1__0", 1), ("a = _1", 1), ("a = 1_", 1),
            ("a = 0x", 1), ("a = +0x1", 1), ("a = 0b2", 1), ("a = 9223372036854775808", 1), ("a = 1.", 1),
            ("a = .5", 1), ("a = 1e", 1), ("a = 1.e2", 1), ("a = 2026-02-30", 1), ("a = 2026-01-01T24:00:00Z", 1),
            ("a = 1:2:3", 1), ("a = 03:04:05Z", 1), ("a.b.é = 1", 1), ("é = 1", 1),
        ])
    func refused(_ text: String, _ line: Int) {
        let error = #expect(throws: TOML.SyntaxError.self) { try parse(text) }
        #expect(error?.line == line)
        #expect(error?.message.isEmpty == false)
    }

    @Test("names are compared as bytes: composed and decomposed letters are two keys")
    func bytes() throws {
        #expect(try parse("\"\u{E9}\" = 1\n\"e\u{301}\" = 2").entries.count == 2)
    }

    @Test("limits: depth of arrays, inline tables and keys, length, text encoding")
    func limits() {
        let depth = 5000
        for text in [
            "a = " + String(repeating: "[", count: depth), "a = " + String(repeating: "{a=", count: depth),
            String(repeating: "a.", count: depth) + "a = 1", "[" + String(repeating: "a.", count: depth) + "a]",
        ] {
            #expect(throws: TOML.SyntaxError.self) { try parse(text) }
        }
        var limits = TOML.Limits()
        limits.bytes = 10
        #expect(throws: TOML.SyntaxError.self) { try TOML.parse([UInt8](repeating: 0x20, count: 11), limits: limits) }
        #expect(throws: TOML.SyntaxError.self) { try TOML.parse([0x61, 0x3D, 0x27, 0xC3, 0x27]) }
    }

    @Test("keys and headers have the right line numbers")
    func lines() throws {
        let table = try parse("a = 1\n\n[b]\nc = '''\n\n'''\nd = [\n1,\n]\ne.f = 2\n")
        let section = try #require(table["b"]?.table)
        #expect(table.entries.map(\.line) == [1, 3])
        #expect(section.entries.map(\.line) == [4, 7, 10])
    }

    @Test("mutated documents never trap")
    func mutations() {
        let seed = Array(
            "[a.b]\nx = \"t\\u0041\" # c\n[[l]]\ny = [1, 2.5e3, {z = '''\nq''', w.v = 2026-01-02 03:04:05Z}]\nh = 0xFF\n"
                .utf8)
        let letters = Array("[]{}=.,\"'#\\ \n\r\t-+_:0x1ea\u{0}\u{7F}é".utf8)
        var random = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &random) where bytes.count > 1 {
                let place = Int.random(in: bytes.indices, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = letters.randomElement(using: &random) ?? 0
                case 1: bytes.insert(letters.randomElement(using: &random) ?? 0, at: place)
                case 2: bytes.remove(at: place)
                default: bytes.removeLast(bytes.count - max(place, 1))
                }
            }
            _ = try? TOML.parse(bytes)
        }
    }
}
