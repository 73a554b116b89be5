import Encoding
import LinkedData
import Reasons

/// The hashes of one document that its proofs need. Each graph is canonicalised at most once with each hash algorithm.
struct DocumentDigests {
    let content: LinkedDataDocument
    private let beginnings: HashBeginnings
    private var graph: [HashAlgorithm: [UInt8]] = [:]
    /// The canonical document without its contexts. Contexts are canonicalised separately, because a proof may cover
    /// other contexts than those of the document.
    private var members: CanonicalObject?
    private var context: (text: [UInt8], isVerbatim: Bool)?

    init(_ content: LinkedDataDocument, beginnings: HashBeginnings) {
        self.content = content
        self.beginnings = beginnings
    }

    /// Returns the hash of the canonical N-Quads. RDFC-1.0 uses the same hash algorithm.
    mutating func rdfc(_ algorithm: HashAlgorithm) throws(Rejection) -> [UInt8] {
        if let digest = graph[algorithm] { return digest }
        let digest = try content.dataset.canonicalDigest(algorithm)
        graph[algorithm] = digest
        return digest
    }

    /// Returns the hash of the canonical JSON of the document under `context`; if nil, under the document's contexts.
    mutating func jcs(_ algorithm: HashAlgorithm, under context: JSON?) throws(Rejection) -> [UInt8] {
        let members = try canonicalMembers()
        guard content.unsecured["@context"] != nil || context != nil else {
            return beginnings.hash(algorithm) { members.write($0) }
        }
        let value = try canonicalContext(context).text
        return beginnings.hash(algorithm) { members.write(adding: "@context", value, $0) }
    }

    /// Returns the hash of a proof's options in canonical form. The document's contexts are not canonicalised again.
    mutating func jcs(options: JCSProofOptions, _ algorithm: HashAlgorithm) throws(Rejection) -> [UInt8] {
        let members = try Self.jcs { () throws(JCSError) in
            try CanonicalObject(options.options, without: "@context")
        }
        guard options.options["@context"] != nil else { return beginnings.hash(algorithm) { members.write($0) } }
        let value = try canonicalContext(options.context).text
        return beginnings.hash(algorithm) { members.write(adding: "@context", value, $0) }
    }

    /// Returns the text that a proof under `context` covers: the canonical form of the document, parsed again. If that
    /// text equals the received text up to the order of members, the received document is returned (`isReceived`).
    mutating func signedText(
        under context: JSON
    ) throws(Rejection) -> (document: LinkedDataDocument, isReceived: Bool) {
        let members = try canonicalMembers()
        let isReceived = context == content.context
        let contexts = try isReceived ? canonicalContext(nil) : Self.canonical(context)
        if isReceived, members.isVerbatim, contexts.isVerbatim { return (content, true) }
        var bytes: [UInt8] = []
        members.write(adding: "@context", contexts.text) { bytes += $0 }
        guard let text = try? JSON.parse(bytes).object else { throw Rejection(.inputTooLarge) }
        return (try LinkedDataDocument(text, processor: content.processor, coversText: true), false)
    }

    private mutating func canonicalMembers() throws(Rejection) -> CanonicalObject {
        if let members { return members }
        let content = content
        let members = try Self.jcs { () throws(JCSError) in
            try CanonicalObject(content.unsecured, without: "@context")
        }
        self.members = members
        return members
    }

    /// Returns the canonical form of `other`, or else of the document's contexts.
    private mutating func canonicalContext(_ other: JSON?) throws(Rejection) -> (text: [UInt8], isVerbatim: Bool) {
        if let other { return try Self.canonical(other) }
        if let context { return context }
        let context = try Self.canonical(content.context)
        self.context = context
        return context
    }

    private static func canonical(_ value: JSON) throws(Rejection) -> (text: [UInt8], isVerbatim: Bool) {
        try jcs { () throws(JCSError) in try value.canonical() }
    }

    private static func jcs<Value>(_ work: () throws(JCSError) -> Value) throws(Rejection) -> Value {
        do throws(JCSError) { return try work() } catch { throw Rejection(.jsonNumber) }
    }
}
