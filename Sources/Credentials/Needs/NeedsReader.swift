import Encoding
import LinkedData
import Reasons

/// A reader that collects the parts of the trust data that a payload needs; see ``TrustNeeds``.
struct NeedsReader {
    let trust: TrustStore
    let limits: Limits
    private(set) var format: CredentialFormat?
    private(set) var needs: [TrustNeeds.Need] = []
    private(set) var omitted = 0
    private var places: [Place: Int] = [:]
    /// The URLs of the status lists that were already read. Each list is read only once.
    private var lists: Set<Text> = []

    /// The identity of a need; equal needs are merged.
    private struct Place: Hashable {
        let kind: TrustNeeds.Need.Kind
        let id: Text?
        let name: String?
    }

    init(trust: TrustStore, limits: Limits) {
        self.trust = trust
        self.limits = limits
    }

    /// Reads a payload.
    ///
    /// - Throws: The error that makes the payload unreadable.
    mutating func read(_ payload: [UInt8]) throws(Rejection) {
        guard payload.count <= limits.payloadBytes else { throw Rejection(.inputTooLarge) }
        let envelope = Envelope(limits: limits)
        let received = try envelope.open(envelope.parse(payload), claimed: nil)
        format = received.format
        try read(received)
    }

    private mutating func read(_ received: Received) throws(Rejection) {
        switch (received.kind, received.body) {
        case (.linkedDataPresentation, .object(let document)): try read(presentation: document)
        case (_, .object(let document)): read(credential: document)
        case (.jwtPresentation, .jwt(let token)), (.vpJWT, .jwt(let token)): try read(presentation: token)
        case (_, .jwt(let token)): read(token, Self.issuer(of: token.claims), entries: token.claims)
        case (let kind, .sdJWT(let token)):
            let issuer = Self.issuer(of: token.issued.claims) ?? certified(token.issued)
            read(token.issued, issuer, entries: token.issued.claims)
            if let issuer, kind == .plainSDJWT, trust.issuer(issuer)?.plainSDJWT != true {
                note(line: "plain-sd-jwt = true", of: issuer)
            }
        case (_, .token(let letters)): try read(mdoc: letters)
        }
    }

    // MARK: - Linked data

    private mutating func read(credential: JSONObject) {
        read(contexts: .object(credential))
        guard let issuer = read(signedBy: credential) else { return }
        read(status: credential, of: issuer)
    }

    /// Notes the needs for the issuer, the issuer's allowed contexts and the issuer's keys. Returns the issuer.
    private mutating func read(signedBy credential: JSONObject) -> Text? {
        guard let issuer = Self.issuer(of: credential) else { return nil }
        note(issuer: issuer)
        if Self.holdsInlineContext(.object(credential)), trust.issuer(issuer)?.inlineContexts != true {
            note(line: "inline-contexts = \"allow\"", of: issuer)
        }
        check(contexts: .object(credential), of: issuer)
        note(types: types(of: credential), of: issuer)
        read(proofs: credential, of: issuer, for: .assertionMethod)
        return issuer
    }

    /// Returns the types of a credential as IRIs. The list is empty if a context that defines the types is not pinned.
    private func types(of credential: JSONObject) -> [Text] {
        let content = try? LinkedDataDocument(credential, processor: trust.processor)
        let graph = content?.graph(type: CredentialVocabulary.verifiableCredentialType)
        return graph.map { $0.types(of: $0.root) } ?? []
    }

    private mutating func read(proofs document: JSONObject, of issuer: Text?, for purpose: ControllerDocument.Purpose) {
        let proofs = Array(Self.list(document["proof"]).prefix(limits.proofs))
        // If a proof has a known suite, ignore the proofs with unknown suites.
        let known = proofs.filter { $0.object.flatMap { ProofSuite.named(by: $0) } != nil }
        let references = (known.isEmpty ? proofs : known).compactMap { proof in
            let method = proof["verificationMethod"]
            return method?.string ?? method?["id"]?.string ?? issuer
        }
        // Do not propose the key of a further proof's signer. Anyone can add a proof, and a proof in addition to the
        // issuer's proof does not affect the verdict.
        let own = references.filter { reference in issuer.map { signs(reference, for: $0) } ?? true }
        for reference in own.isEmpty ? references : own { note(key: reference, of: issuer, for: purpose) }
    }

    /// Returns whether the key `reference` belongs to `issuer`, or to an id that may sign for `issuer`.
    private func signs(_ reference: Text, for issuer: Text) -> Bool {
        let controller = (try? KeyResolver(trust: trust).method(reference, at: ""))?.method.controller
        let signer = controller ?? KeyResolver.withoutFragment(reference)
        return signer == issuer || trust.issuer(issuer)?.controllers.contains(signer) ?? false
    }

    private mutating func read(presentation document: JSONObject) throws(Rejection) {
        read(contexts: .object(document))
        try read(credentials: document["verifiableCredential"])
        read(proofs: document, of: nil, for: .authentication)
    }

    private mutating func read(credentials member: JSON?) throws(Rejection) {
        for entry in Self.list(member).prefix(limits.credentials) {
            try read(PresentedCredential(entry, limits: limits).received)
        }
    }

    /// Notes the need for each context that a document lists, at any depth.
    private mutating func read(contexts document: JSON) {
        for url in ContextURLs(in: document, known: trust.processor.contexts.documents).urls {
            var need = TrustNeeds.Need(.context, url, isPresent: trust.pins(url))
            need.builtIn = BuiltInContexts.document(url)?.sha256
            add(need)
        }
    }

    /// Notes the contexts that the issuer's entry does not list.
    private mutating func check(contexts document: JSON, of issuer: Text) {
        guard let allowed = trust.issuer(issuer)?.contexts else { return }
        for url in ContextURLs(in: document).urls where !allowed.contains(url) {
            note(line: "contexts = [\(Self.quoted(url))]", of: issuer)
        }
    }

    private static func holdsInlineContext(_ document: JSON) -> Bool {
        switch document {
        case .object(let object):
            object.members.contains { member in
                if member.name == "@context" { return list(member.value).contains { $0.object != nil || $0.isNull } }
                return member.value.isContainer && holdsInlineContext(member.value)
            }
        case .array(let elements): elements.contains { $0.isContainer && holdsInlineContext($0) }
        default: false
        }
    }

    // MARK: - Tokens

    private mutating func read(_ token: CompactJWS, _ issuer: Text?, entries claims: JSONObject) {
        guard let issuer else { return note(chain: chain(of: token), issuer: nil) }
        note(issuer: issuer)
        if trust.issuer(issuer)?.contexts != nil {
            read(contexts: .object(claims))
            check(contexts: .object(claims), of: issuer)
        }
        let named = claims["vct"] ?? claims["vc"]?["type"] ?? claims["type"]
        note(types: Self.list(named).compactMap(\.string), of: issuer)
        note(signerOf: token, in: issuer, for: .assertionMethod)
        if let inner = claims["vc"]?.object { read(status: inner, of: issuer) }
        read(status: claims, of: issuer)
    }

    private mutating func read(presentation token: CompactJWS) throws(Rejection) {
        let document = token.claims["vp"]?.object ?? token.claims
        try read(credentials: document["verifiableCredential"])
        let named = token.claims["iss"]?.string ?? document["holder"]?.string ?? document["holder"]?["id"]?.string
        if let holder = named { note(signerOf: token, in: holder, for: .authentication) }
    }

    private mutating func note(signerOf token: CompactJWS, in issuer: Text, for purpose: ControllerDocument.Purpose) {
        if token.header["x5c"] != nil, purpose == .assertionMethod {
            return note(chain: chain(of: token), issuer: issuer)
        }
        let entry = purpose == .assertionMethod ? issuer : nil
        guard let kid = token.header["kid"]?.string else {
            return note(document: issuer, keys: [], isPresent: knows(issuer), isMetadata: true)
        }
        if kid.hasPrefix("#") { return note(key: Text(issuer.string + kid.string), of: entry, for: purpose) }
        let isReference = kid.utf8.contains(UInt8(ascii: "#")) || trust.document(kid)?.isSingleKey ?? false
        if isReference || SelfContainedDID.document(kid) != nil { return note(key: kid, of: entry, for: purpose) }
        // The `kid` names a key in the issuer's document, or in the document of an id that may sign for the issuer.
        let signers = [issuer] + (trust.issuer(issuer)?.controllers ?? [])
        let isKnown = signers.contains { id in
            let methods = (SelfContainedDID.document(id) ?? trust.document(id))?.listedMethods ?? []
            return methods.contains { $0.keyID == kid || $0.id == Text(id.string + "#" + kid.string) }
                || id == kid && methods.count == 1
        }
        note(document: issuer, keys: [kid], isPresent: isKnown, isMetadata: true)
    }

    /// Returns the issuer of an SD-JWT without `iss`: the issuer in the trust data to which the certificate belongs. If
    /// there is none, returns the issuer that the certificate names, or the root of the certificate; the trust data
    /// then needs an entry for that issuer.
    private func certified(_ token: CompactJWS) -> Text? {
        if let known = try? trust.issuer(certifying: token, limits: limits) { return known }
        let chain = chain(of: token).prefix(limits.certificates).compactMap { X509Certificate($0) }
        guard let names = chain.first?.extensions.subjectNames else { return nil }
        let host = names.dnsNames.first.map { Text("https://\($0)") }
        let root = chain.lazy.compactMap(anchor).first ?? chain.last.flatMap { $0.isSelfIssued ? $0 : nil }
        return names.uris.first ?? host ?? root.map { CertificateRoots.id(ofDigest: $0.digest) }
    }

    private func chain(of token: CompactJWS) -> [[UInt8]] {
        let texts = Self.list(token.header["x5c"]).prefix(limits.certificates).compactMap(\.string)
        return texts.compactMap { Base64.decodeAny($0.string) }
    }

    // MARK: - Mdocs

    private mutating func read(mdoc letters: [UInt8]) throws(Rejection) {
        guard let bytes = Base64.decodePaddedURL(letters) else { throw Rejection(.cborSyntax) }
        var decoder = CBORDecoder(limits: limits.cbor)
        let item = try decoder.read(bytes[...])
        for document in try MdocDocument.all(in: item, limits: limits) {
            let signed = try IssuerSigned(
                document.issuerSigned, profile: .compat, limits: limits, decoder: &decoder,
                at: document.place + document.issuerSignedPointer)
            guard let (message, object) = signed.authentication else {
                throw Rejection(.proofMissing, at: document.place + document.issuerSignedPointer + "/issuerAuth")
            }
            note(chain: message.certificates, issuer: nil, docType: object.docType)
            if let url = object.status?["status_list"]?["uri"]?.text { note(list: url, of: nil) }
        }
    }

    // MARK: - Status

    private mutating func read(status document: JSONObject, of issuer: Text) {
        for entry in Self.list(document["credentialStatus"]).prefix(limits.statusEntries) {
            if let url = entry["statusListCredential"]?.string { note(list: url, of: issuer) }
        }
        if let url = document["status"]?["status_list"]?["uri"]?.string { note(list: url, of: issuer) }
    }

    /// Notes a status list. A stored list is verified like a credential, so its needs are noted, too.
    private mutating func note(list url: Text, of issuer: Text?) {
        let stored = trust.statusList(url)
        add(TrustNeeds.Need(.statusList, url, isPresent: stored != nil))
        guard let stored, let issuer, lists.insert(url).inserted else { return }
        let letters = Token.trimmed(stored)
        if let token = try? CompactJWS(letters, limits: limits) {
            let signer = Self.issuer(of: token.claims) ?? issuer
            note(listSigner: signer, of: issuer)
            note(signerOf: token, in: signer, for: .assertionMethod)
        } else if let credential = (try? JSON.parse(Array(letters), limits: limits.json))?.object {
            guard let signer = Self.issuer(of: credential) else { return }
            read(contexts: .object(credential))
            note(listSigner: signer, of: issuer)
            for proof in Self.list(credential["proof"]).prefix(limits.proofs) {
                if let reference = proof["verificationMethod"]?.string {
                    note(key: reference, of: nil, for: .assertionMethod)
                }
            }
        }
    }

    private mutating func note(listSigner signer: Text, of issuer: Text) {
        if signer != issuer, trust.issuer(issuer)?.statusIssuers.contains(signer) != true {
            note(line: "status-issuers = [\(Self.quoted(signer))]", of: issuer)
        }
    }

    // MARK: - Issuers, keys and roots

    private mutating func note(issuer: Text) {
        var need = TrustNeeds.Need(.issuer, issuer, isPresent: trust.issuer(issuer) != nil)
        need.isListed = need.isPresent
        add(need)
    }

    /// Notes the types that are missing in the issuer's entry.
    private mutating func note(types: [Text], of issuer: Text) {
        let allowed = trust.issuer(issuer)?.types
        guard allowed != nil || trust.untypedIssuers != .admit else { return }
        let new = TrustedIssuer.telling(types).filter {
            !(allowed ?? []).contains($0) && $0.utf8.count <= limits.recordedBytes
        }
        guard !new.isEmpty, let place = places[Place(kind: .issuer, id: issuer, name: nil)] else { return }
        needs[place].types = Array(new.prefix(limits.recordedTypes))
        note(line: ReasonDetail.line(types: needs[place].types), of: issuer)
    }

    /// Notes a line that is missing in the issuer's entry.
    private mutating func note(line: String, of issuer: Text?) {
        guard let issuer, let place = places[Place(kind: .issuer, id: issuer, name: nil)] else { return }
        needs[place].isPresent = false
        if !needs[place].lines.contains(line), needs[place].lines.count < limits.proofs {
            needs[place].lines.append(line)
        }
    }

    private func knows(_ id: Text) -> Bool { SelfContainedDID.document(id) != nil || trust.document(id) != nil }

    /// Notes the need for a key that a proof names by URL. For an issuer's key, also notes the lines that the key
    /// requires in the issuer's entry in the trust data.
    private mutating func note(
        key reference: Text, of issuer: Text?, for purpose: ControllerDocument.Purpose
    ) {
        let base = KeyResolver.withoutFragment(reference)
        let isOwn = SelfContainedDID.document(base) != nil
        let found = try? KeyResolver(trust: trust).method(reference, at: "")
        if !isOwn {
            let named = trust.document(reference) != nil ? reference : base
            note(document: named, keys: [reference], isPresent: found != nil)
        }
        guard let issuer else { return }
        let entry = trust.issuer(issuer) ?? TrustedIssuer(id: issuer)
        let controller = found?.method.controller ?? base
        if controller != issuer, !entry.controllers.contains(controller), found != nil || base.hasPrefix("did:") {
            note(line: "controllers = [\(Self.quoted(controller))]", of: issuer)
        }
        guard let (method, document) = found else { return }
        // If no document of the controller can list a single key, the issuer's entry must name the key.
        if document.isSingleKey, trust.document(controller) == nil, SelfContainedDID.document(controller) == nil,
            !KeyResolver(trust: trust).hears(document, of: controller, for: KeyResolver.Authority(entry))
        {
            note(line: "controllers = [\(Self.quoted(document.id))]", of: issuer)
        }
        let authorising = document.id == controller ? document : trust.document(controller)
        if let authorising, !authorising.lists(method.id, for: purpose), entry.keyPurpose == .strict,
            authorising.lists(authorising.id, for: purpose)
        {
            note(line: "key-purpose = \"did-wide\"", of: issuer)
        }
        if let keys = entry.keys, let key = try? method.key.get(), let fingerprint = KeyFingerprint(key),
            !keys.contains(fingerprint)
        {
            note(line: "keys = [\"\(fingerprint.text)\"]", of: issuer)
        }
    }

    /// Notes a document that must contain `keys`. `isMetadata`: the document may be the metadata of a JWT VC issuer.
    private mutating func note(document id: Text, keys: [Text], isPresent: Bool, isMetadata: Bool = false) {
        guard SelfContainedDID.document(id) == nil else { return }
        var need = TrustNeeds.Need(.document, id, isPresent: isPresent)
        need.keys = keys
        need.address = RefreshResource.document(id, isMetadata: isMetadata && id.hasPrefix("https://"))?.address.url
        add(need)
    }

    /// Notes the root of a chain: the pinned root, or else the certificate that the operator would have to pin.
    /// `issuer` is nil for an mdoc and for a JWT that names no issuer. The root of an mdoc is its issuer, and may sign
    /// only the docTypes of its entry.
    private mutating func note(chain: [[UInt8]], issuer: Text?, docType: Text? = nil) {
        let certificates = chain.prefix(limits.certificates).filter { $0.count <= limits.certificateBytes }
            .compactMap { X509Certificate($0) }
        guard let last = certificates.last else { return }
        let pinned = certificates.lazy.compactMap(anchor).first
        let root = pinned ?? (last.isSelfIssued ? last : nil)
        let id = root.map { Text(TrustedIssuer.rootPrefix.string + Hex.encode($0.digest)) }
        var need = TrustNeeds.Need(.root, id, isPresent: pinned != nil)
        need.name = root?.subjectName.text ?? last.issuerName.text
        add(need)
        guard let id else { return }
        if let docType, trust.issuer(id) != nil || trust.tokenRoots.contains(id) || trust.untypedIssuers != .admit {
            note(issuer: id)
            note(types: [docType], of: id)
        }
        guard let issuer, trust.issuer(issuer)?.roots.contains(id) != true else { return }
        note(line: "roots = [\(Self.quoted(id))]", of: issuer)
    }

    /// Returns the pinned certificate that vouches for a certificate of the chain; nil if there is none.
    private func anchor(_ certificate: X509Certificate) -> X509Certificate? {
        if let pinned = trust.roots.pinned(certificate) { return pinned }
        return trust.roots.named(certificate.issuer).first { (try? certificate.isSigned(by: $0)) ?? false }
    }

    // MARK: - Collecting

    private mutating func add(_ need: TrustNeeds.Need) {
        let place = Place(kind: need.kind, id: need.id, name: need.id == nil ? need.name : nil)
        if let index = places[place] {
            needs[index].isPresent = needs[index].isPresent && need.isPresent
            let more = need.keys.filter { !needs[index].keys.contains($0) }
            needs[index].keys += more.prefix(limits.proofs - min(limits.proofs, needs[index].keys.count))
            return
        }
        let texts = [need.id].compactMap(\.self) + need.keys
        guard needs.count < limits.needs, texts.allSatisfy({ $0.utf8.count <= limits.recordedBytes }) else {
            omitted += 1
            return
        }
        places[place] = needs.count
        needs.append(need)
    }

    /// Returns the issuer that a document states, in any format.
    private static func issuer(of document: JSONObject) -> Text? {
        let named = document["iss"] ?? document["issuer"] ?? document["vc"]?["issuer"]
        return named?.string ?? named?["id"]?.string
    }

    /// Returns the values of a member that is one value or a list of values.
    private static func list(_ member: JSON?) -> [JSON] { member.map { $0.array ?? [$0] } ?? [] }

    /// Returns `text` as a basic string of TOML. TOML has the same escapes as JSON.
    private static func quoted(_ text: Text) -> String { JSON.string(text).compactText }
}
