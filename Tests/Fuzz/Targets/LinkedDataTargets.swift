import Credentials
import Encoding
import LinkedData
import NQuads

extension FuzzTarget {
    /// JSON-LD to canonical N-Quads under the built-in contexts: canonicalisation neither loses nor adds
    /// quads.
    static let jsonLD = FuzzTarget(
        name: "json-ld", longest: 8192,
        seeds: {
            let suite = SeedFiles.files("json-ld/expand", endings: ["-in.jsonld"])
            let more = SeedFiles.files("json-ld/toRdf", endings: ["-in.jsonld"])
            return suite + more + SeedFiles.files("vc", endings: [".json", ".jsonld"])
        },
        check: { bytes in
            guard let json = try? JSON.parse(bytes) else { return }
            let options = Options(
                base: bytes.count.isMultiple(of: 2) ? nil : "https://example.org/a/b?c",
                rdfDirection: bytes.count.isMultiple(of: 3) ? .i18nDatatype : nil)
            guard let expansion = try? processor.expand(json, options: options) else { return }
            require((try? JSON.parse(expansion.value.compactBytes)) == expansion.value, "expansion is JSON")
            guard let dataset = try? processor.deserialize(json, options: options).dataset else { return }
            checkCanonicalization(of: dataset)
        })

    /// N-Quads and RDFC-1.0.
    static let nQuads = FuzzTarget(
        name: "n-quads", longest: 4096,
        seeds: {
            SeedFiles.files("rdf-canon/rdfc10", endings: [".nq"]) + SeedFiles.files("json-ld/toRdf", endings: [".nq"])
        },
        check: { bytes in
            guard let dataset = try? Dataset(nQuads: bytes) else { return }
            require((try? Dataset(nQuads: dataset.nQuads))?.quads == dataset.quads, "written quads read as the same")
            checkCanonicalization(of: dataset)
        })

    private static let processor = JSONLDProcessor(contexts: ContextDocuments(BuiltInContexts.documents), limits: small)

    /// Bounds that inputs of this size can reach.
    private static let small: JSONLDProcessor.Limits = {
        var limits = JSONLDProcessor.Limits()
        limits.items = 4_000
        limits.quads = 2_000
        limits.definitions = 4_000
        limits.iriBytes = 1024 * 1024
        return limits
    }()

    private static let work: CanonicalizationLimits = {
        var limits = CanonicalizationLimits()
        limits.work = 300
        limits.blankNodes = 200
        return limits
    }()

    private static func checkCanonicalization(of dataset: Dataset) {
        guard let canonical = try? RDFC10.canonicalize(dataset, limits: work) else { return }
        let lines = canonical.nQuads
        guard let read = try? Dataset(nQuads: lines) else { return require(false, "canonical N-Quads are N-Quads") }
        require(read.quads.count == Set(dataset.quads).count, "as many canonical quads as there were")
        let reversed = Dataset(read.quads.reversed())
        guard let again = try? RDFC10.canonicalize(reversed, limits: work) else { return }
        require(again.nQuads == lines, "order and labels do not count")
    }
}
