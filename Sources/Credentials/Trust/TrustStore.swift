package import Encoding
import LinkedData
import Reasons

/// The current trust data, parsed once, with decoded keys and loaded contexts. Immutable except for caches of contexts
/// and names. A new bundle makes a new store.
package final class TrustStore: Sendable {
    /// The unusable part of the trust material.
    package enum Failure: Error, Hashable, Sendable {
        /// The document at the given position is no JSON object with an id.
        case document(Int)
        /// The context with the given URL is no JSON object with `@context`.
        case context(Text)
        /// The file of roots at the given position is no list of certificates in PEM.
        case root(Int)
        /// The document with the given id differs from the document that an issuer's entry pins.
        case pinned(Text)
    }

    /// The name of the trust data in verdicts: the name of the bundle (``TrustEdition/name``), or `sha256:` and the
    /// first 16 hexadecimal digits of ``TrustMaterial/digest``.
    package let version: String
    /// The bundle from which the trust data came; nil for a directory.
    package let edition: TrustEdition?
    let issuers: [Text: TrustedIssuer]
    let documents: [Text: ControllerDocument]
    /// Whether any issuer may use inline contexts.
    let allowsInlineContexts: Bool
    /// The documents of issuers whose id contains their key. These documents are decoded only once.
    let selfContained: [Text: ControllerDocument]
    let statusLists: [Text: [UInt8]]
    /// The signers that the stored lists state.
    private let listSigners: Set<Text>
    /// The URLs of the stored lists that do not state their signer.
    private let unnamedLists: [Text]
    /// The pinned X.509 certificates.
    let roots: CertificateRoots
    /// The ids of the roots that an issuer's entry names for tokens.
    let tokenRoots: Set<Text>
    /// The profile for reading credentials if neither rules nor configuration state a profile.
    package let profile: Profile?
    /// The treatment of a credential if the issuer's entry names no types.
    package let untypedIssuers: UntypedIssuers
    /// The date at which the document with an id was last confirmed.
    let fetched: [Text: Timestamp]
    /// The date at which a refresher last confirmed the list with a URL.
    let listsFetched: [Text: Timestamp]
    let revocations: KeyRevocations
    private let groups: [Text: Set<Text>]
    /// The JSON-LD processor over the pinned contexts, for documents.
    let processor: JSONLDProcessor
    /// The inline contexts of accepted credentials.
    let inlineContexts = KnownContexts()
    /// A cache of the names that records use for the types of credentials.
    let typeNames = TypeNames()
    /// Saved hash states of texts that begin with pinned contexts.
    let hashBeginnings = HashBeginnings()
    /// The JSON-LD processor over the suites' contexts, for proof options only.
    let suiteProcessor: JSONLDProcessor

    /// Reads the trust material. Throws if a part is unusable.
    package init(_ material: TrustMaterial) throws(Failure) {
        edition = material.edition
        version = material.edition?.name ?? "sha256:" + Hex.encode(material.digest.prefix(8))
        issuers = Dictionary(material.issuers.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        tokenRoots = Set(material.issuers.flatMap(\.roots))
        (untypedIssuers, profile) = (material.untypedIssuers, material.profile)
        allowsInlineContexts = issuers.values.contains(where: \.inlineContexts)
        groups = Dictionary(
            material.issuers.flatMap { issuer in issuer.groups.map { ($0, [issuer.id]) } },
            uniquingKeysWith: { $0.union($1) })
        fetched = material.fetched
        listsFetched = material.listsFetched
        let pins = Dictionary(
            material.issuers.flatMap { $0.pinnedDocuments.map { ($0.key, [$0.value]) } }, uniquingKeysWith: { $0 + $1 })
        var documents: [Text: ControllerDocument] = [:]
        for (index, bytes) in material.documents.enumerated() {
            guard let json = try? JSON.parse(bytes), let document = ControllerDocument(json) else {
                throw .document(index)
            }
            // The document must match all entries that pin it. Two entries may pin one document.
            if let pinned = pins[document.id] {
                let digest = Digest.sha256(bytes)
                guard pinned.allSatisfy({ $0 == digest }) else { throw .pinned(document.id) }
            }
            documents[document.id] = document
        }
        self.documents = documents
        selfContained = Dictionary(
            material.issuers.flatMap { [$0.id] + $0.controllers }.compactMap { id in
                SelfContainedDID.document(id).map { (id, $0) }
            }, uniquingKeysWith: { $1 })
        revocations = KeyRevocations(material.revokedKeys, documents: documents)
        statusLists = material.statusLists
        var roots = CertificateRoots()
        for (index, pem) in material.roots.enumerated() {
            do throws(CertificateRoots.Malformed) { try roots.add(pem: pem) } catch { throw .root(index) }
        }
        self.roots = roots
        let signers = material.statusLists.mapValues { StatedListSigner($0, roots: roots).ids }
        listSigners = Set(signers.values.flatMap(\.self))
        // Only a text with a colon can be the id of a signer: a key name without a colon does not identify its owner.
        let isID: (Text) -> Bool = { $0.utf8.contains(UInt8(ascii: ":")) }
        unnamedLists = signers.filter { !$0.value.contains(where: isID) }.map(\.key).sorted()
        var contexts: [Text: JSON] = [:]
        for (url, bytes) in material.contexts {
            guard let json = try? JSON.parse(bytes), json["@context"] != nil else { throw .context(url) }
            contexts[url] = json
        }
        processor = JSONLDProcessor(
            contexts: ContextDocuments(contexts), standardNames: CredentialVocabulary.standardNames)
        suiteProcessor = JSONLDProcessor(contexts: BuiltInContexts.suites)
    }

    /// Computes the names in the pinned contexts, so that no visit has to wait for the computation.
    package func prepare() { _ = processor.definedNames(of: Array(processor.contexts.documents.keys)) }

    /// Returns whether the context with the given URL is pinned.
    package func pins(_ url: Text) -> Bool { processor.contexts.documents[url] != nil }

    /// Returns the entry of a trusted issuer; nil if there is none.
    package func issuer(_ id: Text) -> TrustedIssuer? { issuers[id] }

    /// Returns the entry of the issuer `id`, which must be trusted at the date `now`. Throws `trust.stale` if the whole
    /// trust data is too old, and `issuer.untrusted` if there is no entry or its dates do not include `now`.
    func issuer(_ id: Text, at now: Timestamp, pointer: String) throws(Rejection) -> TrustedIssuer {
        try checkAge(at: now)
        guard let issuer = issuers[id], issuer.isValid(at: now) else { throw Rejection(.issuerUntrusted, at: pointer) }
        return issuer
    }

    /// Throws `trust.stale` after the end of the bundle's validity and grace period.
    func checkAge(at now: Timestamp) throws(Rejection) {
        if edition?.age(at: now) == .stale { throw Rejection(.trustStale) }
    }

    /// Returns the ids of the issuers (and X.509 roots) of a group; nil if no entry names the group. Nil distinguishes
    /// a misspelt group in a policy from an empty group.
    package func members(ofGroup name: Text) -> Set<Text>? { groups[name] }

    /// Returns the bytes of the status list that is stored under the given URL; nil if there is none.
    package func statusList(_ url: Text) -> [UInt8]? { statusLists[url] }

    /// Returns whether the trust data has status lists for credentials of `issuer`. The trust data has them if the
    /// issuer's entry names lists, if a stored list states a signer that may sign the issuer's lists, or if such a
    /// signer signed a stored list that states no signer.
    ///
    /// - Parameter isSigned: Returns whether the list with the given URL can be read on behalf of the issuer.
    func keepsLists(of issuer: TrustedIssuer, isSigned: (Text) -> Bool) -> Bool {
        let signers =
            [issuer.id] + issuer.controllers + issuer.roots
            + issuer.statusIssuers.flatMap { [$0] + (issuers[$0].map { $0.controllers + $0.roots } ?? []) }
        return !issuer.statusLists.isEmpty || signers.contains(where: listSigners.contains)
            || unnamedLists.contains(where: isSigned)
    }

    /// Returns the stored document with the given id; nil if there is none.
    package func document(_ id: Text) -> ControllerDocument? { documents[id] }
}
