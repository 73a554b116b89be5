import Crypto
import Encoding
import LinkedData
import NQuads
import Testing

@Suite struct CanonicalizationTests {
    private let predicate: Text = "http://a/p"

    private func node(_ number: Int) -> Term { .blank(Text("n\(number)")) }

    private func complete(_ count: Int) -> Dataset {
        Dataset(
            (0..<count).flatMap { a in (0..<count).filter { $0 != a }.map { Quad(node(a), predicate, node($0)) } })
    }

    private func cycle(_ count: Int) -> Dataset {
        Dataset((0..<count).map { Quad(node($0), predicate, node(($0 + 1) % count)) })
    }

    private func code(_ dataset: Dataset, _ limits: CanonicalizationLimits = .init()) -> CanonicalizationError.Code? {
        do {
            _ = try RDFC10.canonicalize(dataset, limits: limits)
            return nil
        } catch {
            #expect(error.work <= limits.work && error.steps <= limits.steps)
            return error.code
        }
    }

    /// The units of work are those of `Tests/Vectors/rdf-canon/README.md`.
    @Test func workIsCountedInTheAgreedUnits() throws {
        #expect(try RDFC10.canonicalize(complete(4)).work == 556)
        #expect(try RDFC10.canonicalize(cycle(10)).work == 300)
        #expect(try RDFC10.canonicalize(Dataset([Quad(node(0), predicate, .iri("a:b"))])).work == 0)
    }

    @Test func poisonIsRefusedAndItsTwinIsNot() {
        #expect(code(complete(5)) == nil)
        for count in 6...10 { #expect(code(complete(count)) == .tooMuchWork) }
        #expect(code(cycle(80)) == nil)
        // The recursion is as deep as the cycle is long.
        #expect(code(cycle(1000)) == .tooMuchWork)
    }

    /// One unit may process every quad of a node, so work is also counted in steps.
    @Test func twoNodesAndAHubInManyGraphs() throws {
        func graphs(_ count: Int) -> Dataset {
            Dataset(
                (0..<count).flatMap { graph in
                    [1, 2].map { Quad(node(0), predicate, node($0), in: .iri(Text("u:\(graph)"))) }
                })
        }
        #expect(code(graphs(4)) == nil)
        #expect(code(graphs(5_000)) == .tooMuchWork)
        // Also without many permutations: each of the nodes occurs in every graph.
        var limits = CanonicalizationLimits()
        limits.work = .max
        #expect(code(graphs(5_000), limits) == .tooMuchWork)
    }

    @Test func stepsAreExact() throws {
        let steps = try RDFC10.canonicalize(complete(4)).steps
        var limits = CanonicalizationLimits()
        limits.steps = steps
        #expect(code(complete(4), limits) == nil)
        limits.steps = steps - 1
        #expect(code(complete(4), limits) == .tooMuchWork)
        #expect(try RDFC10.canonicalize(complete(5)).steps * 10 < CanonicalizationLimits().steps)
    }

    @Test func limitsAreExact() throws {
        var limits = CanonicalizationLimits()
        limits.work = 556
        #expect(code(complete(4), limits) == nil)
        limits.work = 555
        #expect(code(complete(4), limits) == .tooMuchWork)

        limits = CanonicalizationLimits()
        let nodes = (0..<1001).map { Quad(node($0), predicate, .literal(Literal(Text("\($0)")))) }
        #expect(code(Dataset(Array(nodes.prefix(1000)))) == nil)
        #expect(code(Dataset(nodes)) == .tooManyBlankNodes)

        let ground = (0..<12_001).map { Quad(.iri("a:s"), predicate, .literal(Literal(Text("\($0)")))) }
        #expect(code(Dataset(Array(ground.prefix(12_000)))) == nil)
        #expect(code(Dataset(ground)) == .tooManyQuads)
    }

    @Test func longTermsCannotBeMultipliedWithoutBound() {
        let long = Term.iri(Text("a:" + String(repeating: "x", count: 100_000)))
        let quads = (0..<1000).map { Quad(long, predicate, .literal(Literal(Text("\($0)")))) }
        #expect(code(Dataset(quads)) == .tooManyBytes)
        #expect(code(Dataset(Array(quads.prefix(200)))) == nil)
        // Each of these bytes is written as six.
        let controls = Literal(Text(String(repeating: "\u{7F}", count: 5_000_000)))
        #expect(code(Dataset([Quad(.iri("a:s"), predicate, .literal(controls))])) == .tooManyBytes)
        // Bytes count even if they are not copied.
        let photo = Quad(.iri("a:s"), predicate, .literal(Literal(Text(String(repeating: "x", count: 14_000_000)))))
        for (count, expected) in [(1_500_000, nil), (2_000_000, .tooManyBytes)] as [(Int, CanonicalizationError.Code?)]
        {
            let controls = Literal(Text(String(repeating: "\u{7F}", count: count)))
            #expect(code(Dataset([photo, Quad(.iri("a:s"), predicate, .literal(controls))])) == expected)
        }
    }

    /// Long literals are not copied into the lines. Their order, duplicates and hash must be the same as with a copy.
    /// The long literals end in all characters that may precede a quotation mark.
    @Test func longLiteralsAreWrittenLikeOthers() throws {
        let photo = String(repeating: "A", count: 64 * 1024)
        let ends = ["", " ", "!", "#", "A", "B", "\u{7F}", "\"", "é"]
        let half = String(photo.prefix(40_001))
        let others = ["@", "B"].map { half + $0 + photo.dropFirst(half.count + 1) }
        let texts = ["", " ", "!", "A", "B", String(photo.dropLast())] + ends.map { photo + $0 } + others
        let literals = texts.flatMap { text in
            [
                Literal(Text(text)), Literal(Text(text), datatype: RDF.langString, language: "en"),
                Literal(Text(text), datatype: "a:type"),
            ]
        }
        let quads = literals.flatMap { literal in
            [nil, .iri("a:g")].map { Quad(.iri("a:s"), predicate, .literal(literal), in: $0) }
        }
        var generator = Generator(state: 11)
        let canonical = try RDFC10.canonicalize(
            Dataset((quads + quads.prefix(60).suffix(30)).shuffled(using: &generator)))
        let lines = quads.map { Dataset([$0]).nQuads }.sorted { ByteOrder.precedes($0, $1) }
        #expect(canonical.count == lines.count)
        #expect(canonical.nQuads == lines.flatMap(\.self))
        #expect(canonical.digest(.sha256) == Array(SHA256.hash(data: canonical.nQuads)))
        let unnamed = Quad(node(0), predicate, .literal(Literal(Text(photo))), in: node(1))
        let named = try RDFC10.canonicalize(Dataset([unnamed]))
        #expect(named.nQuads.count == photo.utf8.count + "_:c14n0 <http://a/p> \"\" _:c14n1 .\n".utf8.count)
        #expect(try RDFC10.canonicalize(Dataset(nQuads: named.nQuads)).nQuads == named.nQuads)
        // The whole literal determines the label of the blank node: two literals that differ only at the end
        // lead to different labels.
        let pair = [photo + "A", photo + "B"].map { Literal(Text($0)) }
        func labelled(_ order: [Int]) -> [Quad] {
            zip(order, pair).map { Quad(node($0), predicate, .literal($1)) }
        }
        let both = try [[0, 1], [1, 0]].map { try RDFC10.canonicalize(Dataset(labelled($0))).nQuads }
        #expect(both[0] == both[1])
    }

    @Test(arguments: [HashAlgorithm.sha256, .sha384])
    func labelsAndOrderDoNotMatter(_ hash: HashAlgorithm) throws {
        var generator = Generator(state: 7)
        for _ in 0..<150 {
            let count = Int.random(in: 1...5, using: &generator)
            let quads = (0..<Int.random(in: 1...9, using: &generator)).map { _ in
                let ends = [node, { _ in .iri("a:o") }].map { $0(Int.random(in: 0..<count, using: &generator)) }
                let object =
                    Bool.random(using: &generator) ? node(Int.random(in: 0..<count, using: &generator)) : ends[1]
                let predicate = Text("a:p\(Int.random(in: 0...1, using: &generator))")
                let graph = Int.random(in: 0...5, using: &generator) == 0 ? node(0) : nil
                return Quad(ends[0], predicate, object, in: graph)
            }
            let names = Dictionary(
                uniqueKeysWithValues: zip(0..<count, (0..<count).map { "x\($0)" }.shuffled(using: &generator)))
            func renamed(_ term: Term) -> Term {
                guard case .blank(let label) = term, let number = Int(label.string.dropFirst()) else { return term }
                return .blank(Text(names[number] ?? ""))
            }
            let other = (quads + quads.prefix(2)).shuffled(using: &generator).map {
                Quad(renamed($0.subject), $0.predicate, renamed($0.object), in: $0.graph.map(renamed))
            }
            let first = try RDFC10.canonicalize(Dataset(quads), hash: hash)
            let second = try RDFC10.canonicalize(Dataset(other), hash: hash)
            #expect(first.nQuads == second.nQuads)
            #expect(try RDFC10.canonicalize(Dataset(nQuads: first.nQuads), hash: hash).nQuads == first.nQuads)
        }
    }

    @Test func digestIsThatOfTheDocument() throws {
        let canonical = try RDFC10.canonicalize(complete(3))
        #expect(canonical.count == 6)
        #expect(canonical.digest(.sha256) == Array(SHA256.hash(data: canonical.nQuads)))
        #expect(canonical.digest(.sha384) == Array(SHA384.hash(data: canonical.nQuads)))
        #expect(try RDFC10.canonicalize(Dataset()).nQuads == [])
    }

    /// A small deterministic generator (xorshift).
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
