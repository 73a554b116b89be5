import Encoding
import LinkedData

/// The proof value of a derived ecdsa-sd-2023 proof (VC Data Integrity ECDSA 1.0 section 3.5.7). The issuer signed each
/// statement separately, and the holder selected statements.
struct SelectiveDisclosureProof {
    /// The issuer's signature over the proof options, ``ephemeralKey`` and the mandatory statements.
    let baseSignature: [UInt8]
    /// The key of the signatures over single statements, as a Multikey without its multibase letter.
    let ephemeralKey: [UInt8]
    /// A signature for each disclosed statement that is not mandatory, in order.
    let signatures: [[UInt8]]
    /// The label of each blank node at the time of signing, by the node's canonical label in the shown document.
    let labels: [Text: Text]
    /// The positions of the mandatory statements among all shown statements.
    let mandatory: Set<Int>

    /// The header of a derived proof. A base proof, which only the holder keeps, has the header `d95d00`.
    private static let header: [UInt8] = [0xD9, 0x5D, 0x01]

    init?(_ text: Text) {
        guard text.hasPrefix("u"), let bytes = Base64.decodeURL(text.string.dropFirst()),
            bytes.starts(with: Self.header)
        else { return nil }
        guard let parts = try? CBOR.decode(Array(bytes.dropFirst(Self.header.count))).array, parts.count == 5,
            let base = parts[0].bytes, let key = parts[1].bytes, let signed = parts[2].array, let map = parts[3].map,
            let indexes = parts[4].array
        else { return nil }
        signatures = signed.compactMap { $0.bytes.map { Array($0) } }
        let places = indexes.compactMap { $0.unsigned.flatMap { Int(exactly: $0) } }
        mandatory = Set(places)
        var labels: [Text: Text] = [:]
        for pair in map {
            guard let number = pair.key.unsigned, let label = pair.value.bytes, label.count == 32 else { return nil }
            labels[Text("c14n\(number)")] = Text("u" + Base64.encode(label))
        }
        guard base.count == 64, key.count == 35, signatures.count == signed.count, places.count == indexes.count,
            signatures.allSatisfy({ $0.count == 64 }),
            // If two shown nodes have the label of one signed node, return nil: the statements of the signed node would
            // be divided between them.
            Set(labels.values).count == labels.count
        else { return nil }
        baseSignature = Array(base)
        ephemeralKey = Array(key)
        self.labels = labels
    }

    /// The statements in the signed form: canonical lines with the signer's labels, in order.
    struct Statements {
        let lines: [[UInt8]]
        /// The position of the line of each quad of the dataset.
        let places: [Int]
    }

    /// Returns the statements of a dataset in the signed form; nil if the signer's label of a blank node is missing.
    func statements(of dataset: Dataset, issued: [Text: Text]) -> Statements? {
        var complete = true
        func term(_ term: Term) -> Term {
            guard case .blank(let label) = term else { return term }
            guard let name = issued[label].flatMap({ labels[$0] }) else {
                complete = false
                return term
            }
            return .blank(name)
        }
        let quads = dataset.quads.map {
            Quad(term($0.subject), $0.predicate, term($0.object), in: $0.graph.map { term($0) })
        }
        guard complete else { return nil }
        let lines = quads.map { Dataset([$0]).nQuads }
        let sorted = Set(lines).sorted { $0.lexicographicallyPrecedes($1) }
        let order = Dictionary(uniqueKeysWithValues: sorted.enumerated().map { ($1, $0) })
        return Statements(lines: sorted, places: lines.compactMap { order[$0] })
    }
}
