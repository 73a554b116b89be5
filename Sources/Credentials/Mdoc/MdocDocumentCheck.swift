import Encoding
import Reasons

/// The check of one mdoc of a payload: the stages of its verification. The pointers in its findings are relative to
/// that mdoc.
struct MdocDocumentCheck {
    let document: MdocDocument
    private(set) var evidence: Evidence

    private let verificationContext: VerificationContext
    private let mode: VerificationMode
    private let issuerSigned: IssuerSigned

    private var trust: TrustStore { verificationContext.trust }
    private var now: Timestamp { verificationContext.clock.utc }

    /// Runs the shape stage.
    init(
        _ document: MdocDocument, _ verificationContext: VerificationContext, mode: VerificationMode,
        summary: CredentialSummary,
        decoder: inout CBORDecoder
    ) throws(Rejection) {
        self.document = document
        self.verificationContext = verificationContext
        self.mode = mode
        evidence = Evidence(summary)
        if document.isWrapped {
            guard let docType = document.docType?.text, !docType.isEmpty else {
                throw Rejection(.shapeType, at: "/docType")
            }
        }
        issuerSigned = try IssuerSigned(
            document.issuerSigned, profile: verificationContext.profile, limits: verificationContext.limits,
            decoder: &decoder, at: document.issuerSignedPointer)
        guard mode == .shape || issuerSigned.authentication != nil else {
            throw Rejection(.proofMissing, at: document.issuerSignedPointer + "/issuerAuth")
        }
    }

    /// Runs the stages from validity to proof.
    mutating func verify() throws(Rejection) {
        guard let (message, object) = issuerSigned.authentication else { throw Rejection(.internal) }
        evidence.summary.types =
            object.docType.utf8.count <= verificationContext.limits.recordedBytes ? [object.docType] : []
        evidence.summary.validFrom = object.validFrom
        evidence.summary.validUntil = object.validUntil
        try verificationContext.stage(.validity) { () throws(Rejection) in
            // A signing date in the future is refused, whatever validFrom states.
            try verificationContext.checkValidity(
                from: object.validFrom, until: object.validUntil, issued: object.signed)
        }
        let signer = try verificationContext.stage(.key) { () throws(Rejection) in try self.signer(of: message, object)
        }
        evidence.summary.issuer = signer.issuer
        try verificationContext.stage(.proof) { () throws(Rejection) in
            try message.verify(by: signer.certificate.key)
            evidence.summary.signed = SignedContent(digest: Digest.sha256(Array(message.payload)))
            try checkContent(object, signer.certificate)
        }
        if let status = object.status {
            // The status list must be signed below the same root, unless the root's entry in the trust data names other
            // signers.
            let entry = signer.issuer.map { trust.issuer($0) ?? TrustedIssuer(id: $0) }
            let place = issuerSigned.pointer + "/issuerAuth/status"
            evidence.question = StatusQuestion(issuer: entry, claim: .cbor(status, at: place))
        }
        guard let issuer = signer.issuer else { return }
        evidence.claims = SignedClaims(
            format: .mdoc, issuer: issuer, types: [object.docType],
            text: SignedText(MdocClaims.document(object.docType, issuerSigned.nameSpaces), hidesMembers: true),
            validFrom: object.validFrom, validUntil: object.validUntil,
            signed: evidence.summary.signed ?? SignedContent(digest: []), subjects: CredentialSubjects([]))
    }

    /// Returns the document signer and its issuer. The issuer is the pinned root of the path, or nil if no path was
    /// validated.
    private func signer(
        of message: COSESign1, _ object: MobileSecurityObject
    ) throws(Rejection) -> (certificate: CertificateSigner, issuer: Text?) {
        do throws(Rejection) {
            if mode == .issuerDataOnly {
                return (try CertificatePath.leaf(of: message.certificates, limits: verificationContext.limits), nil)
            }
            try trust.checkAge(at: now)
            let skew = verificationContext.policy.clockSkew
            let signer = try CertificatePath.signer(
                of: message.certificates, role: SignerRole.document(trust, docType: object.docType),
                roots: trust.roots, at: now, skew: skew, profile: verificationContext.profile,
                limits: verificationContext.limits)
            guard signer.isValid(at: object.signed, skew: skew) else { throw Rejection(.chainExpired, .signingDate) }
            return (signer, try issuer(behind: signer, object))
        } catch { throw error.moved(to: error.reason.pointer ?? message.pointer) }
    }

    /// Returns the id of the pinned root, which is the issuer. Throws if the signer's key was revoked, or if the root's
    /// entry in the trust data does not allow the document type or the signer's key. A root needs no entry.
    private func issuer(
        behind signer: CertificateSigner, _ object: MobileSecurityObject
    ) throws(Rejection) -> Text {
        guard let id = signer.root else { throw Rejection(.internal) }
        guard trust.revocations.allow(signer, issuedAt: [object.signed]) else { throw Rejection(.keyRevoked) }
        guard trust.issuer(id) != nil else { return id }
        let entry = try trust.issuer(id, at: now, pointer: issuerSigned.pointer + "/issuerAuth")
        try entry.check(types: [object.docType], at: "/docType")
        if let keys = entry.keys {
            guard let fingerprint = KeyFingerprint(signer.key), keys.contains(fingerprint) else {
                throw Rejection(.keyNotAuthorised)
            }
        }
        return id
    }

    /// Runs steps 2, 4 and 6 of ISO/IEC 18013-5 section 9.3.1: the document type, the digest of every item, the issuing
    /// country.
    private func checkContent(_ object: MobileSecurityObject, _ signer: CertificateSigner) throws(Rejection) {
        guard document.docType.map({ $0.text == object.docType }) ?? true else {
            throw Rejection(.mdocDoctype, at: "/docType")
        }
        guard object.digestAlgorithm != nil else {
            throw Rejection(.proofAlgorithm, at: issuerSigned.pointer + "/issuerAuth/digestAlgorithm")
        }
        for nameSpace in issuerSigned.nameSpaces { try checkDigests(of: nameSpace, object) }
        if let root = signer.root, trust.issuer(root)?.anyIssuingCountry ?? false { return }
        // In another namespace, a member with the same name may mean something else, for example the country of another
        // document.
        for nameSpace in issuerSigned.nameSpaces where nameSpace.name == Self.isoNameSpace {
            for (index, item) in nameSpace.items.enumerated() where item.identifier == "issuing_country" {
                guard let country = signer.country, item.value.text == country else {
                    throw Rejection(.mdocCountry, at: Pointer.append(nameSpace.pointer, index))
                }
            }
        }
    }

    /// The namespace of the data elements of ISO/IEC 18013-5 section 7.2.1.
    private static let isoNameSpace: Text = "org.iso.18013.5.1"

    /// Checks that every item is signed. A repeated digest or name in a namespace is refused, because two readers could
    /// use different items.
    private func checkDigests(of nameSpace: IssuerSigned.NameSpace, _ object: MobileSecurityObject) throws(Rejection) {
        guard let digests = object.digests(of: nameSpace.name) else {
            throw Rejection(.mdocDigest, at: nameSpace.pointer)
        }
        var (names, ids): (Set<Text>, Set<UInt64>) = ([], [])
        for (index, item) in nameSpace.items.enumerated() {
            guard digests.cover(item), names.insert(item.identifier).inserted, ids.insert(item.digestID).inserted else {
                throw Rejection(.mdocDigest, at: Pointer.append(nameSpace.pointer, index))
            }
        }
    }
}
