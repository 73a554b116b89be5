import Testing

/// Each rule finds what breaks it, and nothing else.
@Suite struct HouseRuleTests {
    private func measure(_ rule: HouseRule, _ texts: [String: String]) -> [String: Int] {
        rule.measure(SourceTree(texts))
    }

    @Test func aLongLineIsFoundByItsCharacters() {
        let long = String(repeating: "ä", count: 118)
        #expect(measure(.longLines, ["a": "// \(long)\n// ä\(long)", "b": "//\(long)"]) == ["a": 2])
        #expect(measure(.longLines, ["a": "let a = \"\(long)\""]).isEmpty)
        #expect(measure(.longLiterals, ["a": "let a = \"\(long)\"", "b": "// \(long)"]) == ["a": 1])
    }

    @Test func aLongFunctionIsFoundByItsLastBrace() {
        let body = String(repeating: "    call { $0 }\n", count: 69)
        let text = "func short() {\n\(body.dropLast(16))}\nfunc bare()\nvar x = 1\ninit(\n    a: Int) {\n\(body)}\n"
        #expect(measure(.longFunctions, ["a": text]) == ["a": 72])
        #expect(measure(.longFunctions, ["a": "// func\nlet a = \"func\"\nlet b = f {\n\(body)\(body)}"]).isEmpty)
        #expect(measure(.longFunctions, ["a": "var x: Int {\n\(body)}"]) == ["a": 71])
        #expect(measure(.longFunctions, ["a": "    a.init(b)\nif c {\n\(body)\(body)}"]).isEmpty)
        // The braces of literals and of comments do not count.
        let braces = "func f() {\n    let a = \"}\"  // }\n    let b = \"\"\"\n        }\n        \"\"\"\n\(body)}"
        #expect(measure(.longFunctions, ["a": braces]) == ["a": 75])
    }

    @Test func aLongFileIsFoundByItsLines() {
        let lines = String(repeating: "\n", count: 400)
        #expect(measure(.longFiles, ["a": lines, "b": lines + "\n"]) == ["b": 401])
    }

    @Test func aNeedlessAccessIsFoundByItsName() {
        let declarations = """
            package struct Lamp: Sendable {
                package let used: Colour
                package static func unused(_ a: Int) {}
                let narrow = 1
                package var told: Int { 1 }
            }
            package enum Colour { case red }
            package enum Needless {}
            """
        let user = "import A\nlet lamp: Lamp; lamp.used // unused, Needless"
        #expect(measure(.needlessAccess, ["Sources/A/a": declarations, "Sources/B/b": user]) == ["Sources/A/a": 3])
        let other = user + "\nNeedless.self; \"\\(lamp.told)\""
        #expect(measure(.needlessAccess, ["Sources/A/a": declarations, "Tests/B/b": other]) == ["Sources/A/a": 1])
        let inside = ["Sources/A/a": declarations, "Sources/A/b": other]
        #expect(measure(.needlessAccess, inside) == ["Sources/A/a": 5])
        let requirement = "package protocol Light {\n    func unused(_ a: Int)\n}\nfunc f(_ a: Lamp, Light, told, used)"
        let witnesses = [
            "Sources/A/a": declarations, "Sources/A/b": requirement, "Sources/C/c": "Light Lamp Needless told used",
        ]
        #expect(measure(.needlessAccess, witnesses).isEmpty)
    }

    @Test func aDeadFileIsFoundByItsNames() {
        let files = [
            "Sources/A/Used.swift": "struct Used {}", "Sources/A/User.swift": "extension Int: P {}\nlet a = Used()",
            "Sources/A/Dead.swift": "struct Dead {\n    let a = Dead.self\n}  // Used",
            "Sources/A/main.swift": "print(1)", "Sources/A/Test.swift": "import Testing\nstruct Suite {}",
            "Sources/A/Deader.swift": "extension Int {\n    var deader: Int { a }\n}",
            "Sources/A/Init.swift": "extension Int {\n    init(_ a: Bool) {}\n}",
        ]
        #expect(measure(.deadFiles, files) == ["Sources/A/Dead.swift": 1, "Sources/A/Deader.swift": 1])
    }

    @Test func aPhraseIsCountedAsWholeWords() {
        let text = "Nobody stands\nfor this; nobody's word. \"nobody\" (nobodys) stands, for NOBODY."
        let tree = SourceTree(["Sources/a": "/// stands\n/// for\nlet a = \"stands for\"", "Tests/b": "// stands for"])
        let prose = Prose(tree, documents: [text, "for stands"])
        #expect(Prose.Part.allCases.map { prose.count("stands for", in: $0) } == [1, 1, 2])
        #expect(prose.count("nobody", in: .documents) == 4 && prose.count("", in: .documents) == 0)
        #expect(prose.count("for for", in: .documents) == 0, "a phrase does not cross the end of a text")
    }

    @Test func aSourceIsSeparated() {
        let source = SwiftSource(
            #"""
            let a = "b\(c("d"))e" + f  // "g"
            let h = #"i"j"#, k = "\"l"
            let m = """
                n \(o) "p"
                """
            let q = text.matches(of: /"([^"]+)"/), r = s / t
            """#)
        #expect(source.literals.map(\.text) == ["d", #"b\(…)e"#, #"i"j"#, #"\"l"#])
        #expect(source.literals.map(\.line) == [1, 1, 2, 2] && source.literals[0].next == ")")
        #expect(source.lines.map(\.comment) == [#" "g""#, "", "", "", "", ""])
        let words = source.lines.map { SwiftSource.words(in: $0.code) }
        #expect(words[0] == ["let", "a", "c", "f"] && words[1] == ["let", "h", "k"])
        #expect(words[2...4] == [["let", "m"], ["o"], []])
        #expect(words[5] == ["let", "q", "text", "matches", "of", "r", "s", "t"])
        #expect(source.lines.map(\.holdsLiteral) == [true, true, true, true, true, true])
    }
}
