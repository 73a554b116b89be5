// The reasons of a verification. A test compares their order and names with Tests/Vectors/README.md.

extension ReasonCode.Group {
    static let accepted = Self(title: "Accepted", codes: [.ok])

    static let input = Self(
        title: "Input and syntax",
        codes: [
            .inputTooLarge, .inputInflate, .jsonSyntax, .jsonDuplicateKey, .jsonTooDeep, .jsonNumber, .cborSyntax,
            .envelopeUnknown, .formatUnsupported,
        ])

    static let kind = Self(title: "What it is", codes: [.kindNeverAdmits, .kindDisagrees, .kindMember])

    static let shape = Self(
        title: "Shape",
        codes: [
            .shapeContext, .shapeType, .shapeIssuer, .shapeCredentialSubject, .shapeID, .shapeDates, .shapeStatus,
            .shapeProof, .shapeMember, .shapeSpelling, .shapeHeader, .claimsDisagree,
        ])

    static let trust = Self(
        title: "Validity and trust",
        codes: [
            .clockUntrusted, .dateUnconfirmed, .validityExpired, .validityNotYet, .validityTooOld, .issuerUntrusted,
            .issuerKeyMismatch, .issuerNotForType, .issuerUntyped, .trustStale,
        ])

    static let contexts = Self(
        title: "Contexts",
        codes: [.contextNotPinned, .contextInlineForbidden, .contextProtectedTerm, .contextInvalid])

    static let keys = Self(
        title: "Keys",
        codes: [
            .keyUnknown, .keyMalformed, .keyNotAuthorised, .keyWeak, .keyRevoked, .chainInvalid, .chainExpired,
            .chainUntrusted,
        ])

    static let proof = Self(
        title: "Proof",
        codes: [
            .canonTooComplex, .proofMissing, .proofMalformed, .proofSuiteUnsupported, .proofAlgorithm, .proofPurpose,
            .proofInvalid, .proofExpired, .disclosureMalformed, .disclosureName, .disclosureDuplicate,
            .disclosureUnreferenced, .mdocDoctype, .mdocDigest, .mdocCountry, .claimsUnsigned,
        ])

    static let status = Self(
        title: "Status",
        codes: [.statusRevoked, .statusSuspended, .statusStale, .statusUnavailable, .statusInvalid])

    /// The codes of the last stages of a verification: holder, replay and policy.
    static let rules = Self(
        title: "Holder, replay and the gate's own rules",
        codes: [
            .holderProofMissing, .holderInvalid, .replaySeen, .policyNoMatch, .policyExpired, .policy(named: "<id>"),
        ])
}

extension ReasonCode {
    package static let ok = ReasonCode("ok", "The credential is accepted.", "Nothing to do.", severity: .info)

    // Input and syntax
    package static let inputTooLarge = ReasonCode(
        "input.too-large", "The payload or a part of it exceeds a documented size or count limit.",
        "Ask the holder for a smaller credential (usually: a smaller photo).")
    static let inputInflate = ReasonCode(
        "input.inflate", "Compressed data are damaged or inflate beyond their limit.",
        "Present again. If it recurs, the wallet or its network damages data.")
    package static let jsonSyntax = ReasonCode(
        "json.syntax", "The text is not strict JSON.",
        "Report it to the wallet's developers or the issuer: they send "
            + "invalid data.",
        mosip: "ERR_GENERIC")
    package static let jsonDuplicateKey = ReasonCode(
        "json.duplicate-key",
        "An object has two members with the same name, so two readers could understand it "
            + "differently.",
        "Treat as tampering, or report it to the issuer.", mosip: "ERR_GENERIC")
    package static let jsonTooDeep = ReasonCode(
        "json.too-deep", "Objects and arrays are nested deeper than 64.",
        "Treat as an attack, or report it to the "
            + "issuer.",
        mosip: "ERR_GENERIC")
    package static let jsonNumber = ReasonCode(
        "json.number", "A number cannot be represented exactly.", "Ask the issuer to send such numbers as text.",
        mosip: "ERR_GENERIC")
    package static let cborSyntax = ReasonCode(
        "cbor.syntax", "The bytes are not well-formed CBOR.",
        "Report it to the wallet's developers or the issuer: "
            + "they send invalid data.")
    package static let envelopeUnknown = ReasonCode(
        "envelope.unknown", "The payload contains no credential.",
        "Check that the phone shares a credential, with a wallet such as Inji.", mosip: "ERR_EMPTY_VC")
    package static let formatUnsupported = ReasonCode(
        "format.unsupported", "The credential has a format that this version does not verify.",
        "Ask the issuer for a format that is verified, such as ldp_vc. `gatehouse verify --explain` names what this is."
    )

    // Kind
    package static let kindNeverAdmits = ReasonCode(
        "kind.never-admits",
        "The document is not a credential of a person: a status list, a linkage, an endorsement, an access token or "
            + "another token.",
        "Ask the holder for a credential. If many holders present this, find out which wallet or issuer hands it out.")
    package static let kindDisagrees = ReasonCode(
        "kind.disagrees",
        "The document is labelled, wrapped or terminated as another kind of credential than its "
            + "issuer signed.",
        "Treat as tampering, or report the label to the wallet's developers.")
    package static let kindMember = ReasonCode(
        "kind.member",
        "The document contains a member that is decisive in another kind of credential and that is not "
            + "read in this kind.",
        "Report it to the issuer; the pointer names the member.")

    // Shape
    package static let shapeContext = ReasonCode(
        "shape.context", "@context is missing, is not a list, or does not start with a W3C credentials context.",
        "Report the invalid credential to the issuer.", mosip: "ERR_INVALID_@CONTEXT")
    package static let shapeType = ReasonCode(
        "shape.type", "type (or vct, docType) is missing or malformed.",
        "Report the invalid credential to the issuer.", mosip: "ERR_INVALID_TYPE")
    package static let shapeIssuer = ReasonCode(
        "shape.issuer", "issuer is missing or is not a URL.", "Report the invalid credential to the issuer.",
        mosip: "ERR_INVALID_ISSUER")
    package static let shapeCredentialSubject = ReasonCode(
        "shape.credentialSubject", "credentialSubject is missing, empty or malformed.",
        "Report the invalid credential to the issuer.", mosip: "ERR_INVALID_CREDENTIALSUBJECT")
    package static let shapeID = ReasonCode(
        "shape.id", "id is not a single URL.", "Report the invalid credential to the issuer.", mosip: "ERR_INVALID_ID")
    package static let shapeDates = ReasonCode(
        "shape.dates", "A date is missing, malformed, without time zone, or ends before it begins.",
        "Report the invalid credential to the issuer. The compat profile reads dates without zone as UTC.",
        mosip: "ERR_INVALID_ISSUANCEDATE")
    package static let shapeStatus = ReasonCode(
        "shape.status", "credentialStatus is malformed.", "Report the invalid credential to the issuer.",
        mosip: "ERR_INVALID_CREDENTIALSTATUS")
    package static let shapeProof = ReasonCode(
        "shape.proof", "proof is not an object with a type, or a list of such objects.",
        "Report the invalid credential to the issuer.", mosip: "ERR_INVALID_PROOF")
    package static let shapeMember = ReasonCode(
        "shape.member", "Another member of the data model is malformed.",
        "Report the invalid document to the issuer or the wallet's developers.", mosip: "ERR_INVALID_<FIELD>")
    package static let shapeSpelling = ReasonCode(
        "shape.spelling",
        "The document is not written in the form of its data model, so its statements could be read in two ways.",
        "Treat as tampering, or report it to the issuer.")
    package static let shapeHeader = ReasonCode(
        "shape.header", "The token's header has a wrong typ or cty.", "Report it to the issuer.",
        mosip: "ERR_INVALID_TYP")
    package static let claimsDisagree = ReasonCode(
        "claims.disagree", "A claim of the token contradicts the credential inside.", "Report it to the issuer.")

    // Validity and trust
    package static let validityExpired = ReasonCode(
        "validity.expired", "The credential has expired.", "The holder needs a new one from the issuer.",
        mosip: "ERR_VC_EXPIRED")
    package static let validityNotYet = ReasonCode(
        "validity.not-yet", "The credential's validity has not begun.",
        "Come back later. If many visitors get this reason, check the gate's clock.",
        mosip: "ERR_ISSUANCE_DATE_IS_FUTURE_DATE")
    static let validityTooOld = ReasonCode(
        "validity.too-old", "The credential was issued longer ago than the policy allows.",
        "The holder needs a new one from the issuer.")
    package static let clockUntrusted = ReasonCode(
        "clock.untrusted", "The gate does not know the date, so it cannot decide what is valid.",
        "Give the box access to a time server once, fit a clock battery, or deliberately relax the policy's clock "
            + "rule.")
    package static let dateUnconfirmed = ReasonCode(
        "clock.unconfirmed",
        "The gate's clock was moved, or only a time server indicates how long the machine was off; at another "
            + "possible date the credential is not valid, or no rule admits it.",
        "See fault.clock-unconfirmed. If the clock is right, run: gatehouse clock accept.")
    package static let issuerUntrusted = ReasonCode(
        "issuer.untrusted", "The issuer is not in the trust list, or its entry is not valid at this date.",
        "If this issuer should be trusted, add it to issuers.toml in the trust directory.")
    package static let issuerKeyMismatch = ReasonCode(
        "issuer.key-mismatch", "The signing key does not belong to the issuer.",
        "Treat as a forgery; if another identifier may sign for this issuer, list it in its controllers.")
    package static let issuerNotForType = ReasonCode(
        "issuer.not-for-type", "The issuer is trusted, but not for this type of credential.",
        "Check the types in the issuer's trust entry.")
    package static let issuerUntyped = ReasonCode(
        "issuer.untyped",
        "The issuer's entry names no types, and no rule of the gate names what is admitted.",
        "Add the types to the issuer's [[issuer]] in issuers.toml; gatehouse trust needs prints the line.")
    package static let trustStale = ReasonCode(
        "trust.stale", "The trust data, or the signer's stored document, is older than the operator permits.",
        "Refresh the trust data (gatehouse trust refresh) or import the newest bundle.")

    // Contexts
    package static let contextNotPinned = ReasonCode(
        "context.not-pinned",
        "The credential names a JSON-LD context that is not in the trust directory or that its issuer may not use.",
        "Run `gatehouse trust needs`, review the context, then run `gatehouse trust pin context`.", mosip: "ERR_GENERIC"
    )
    package static let contextInlineForbidden = ReasonCode(
        "context.inline-forbidden", "The credential contains an inline JSON-LD context.",
        "If this issuer needs inline contexts, set inline-contexts = \"allow\" in its trust entry, or use the compat "
            + "profile.")
    package static let contextProtectedTerm = ReasonCode(
        "context.protected-term", "A context redefines a protected term.",
        "Treat as tampering, or report it to the "
            + "issuer.",
        mosip: "ERR_GENERIC")
    package static let contextInvalid = ReasonCode(
        "context.invalid",
        "A context or the document violates the rules of JSON-LD, or changes the meaning of the proof's terms.",
        "Treat as tampering, or report it to the issuer.", mosip: "ERR_GENERIC")

    // Keys
    package static let keyUnknown = ReasonCode(
        "key.unknown", "The signer's key is not in the trust directory.",
        "Add the issuer's DID document or key document to did/ in the trust directory.",
        mosip: "ERR_SIGNATURE_VERIFICATION_FAILED")
    package static let keyMalformed = ReasonCode(
        "key.malformed", "The signer's key cannot be read.", "Renew the issuer's key document in the trust directory.")
    package static let keyNotAuthorised = ReasonCode(
        "key.not-authorised", "The signer's key is not published for signing credentials.",
        "Report it to the issuer; if its assertionMethod lists only the bare DID, deliberately set key-purpose = "
            + "\"did-wide\".")
    package static let keyWeak = ReasonCode(
        "key.weak", "The signer's key is too weak (RSA under 2048 bits).", "The issuer must use a stronger key.")
    package static let keyRevoked = ReasonCode(
        "key.revoked", "The signer's key was revoked or has expired.",
        "The holder needs a new credential from the issuer.")
    package static let chainInvalid = ReasonCode(
        "chain.invalid", "The signer's certificate chain is invalid or unreadable.", "Report it to the issuer.")
    package static let chainExpired = ReasonCode(
        "chain.expired", "A certificate of the signer is outside its validity period.", "Report it to the issuer.")
    package static let chainUntrusted = ReasonCode(
        "chain.untrusted", "The signer's certificate does not lead to a pinned root.",
        "If this issuer should be trusted, run `gatehouse trust pin root` and, except for mdocs, name the root in the "
            + "issuer's `roots`."
    )

    // Proof
    package static let canonTooComplex = ReasonCode(
        "canon.too-complex", "The document's graph is too complex to be canonicalized within the work limit.",
        "Treat as an attack.")
    package static let proofMissing = ReasonCode(
        "proof.missing", "The credential has no proof.", "Treat as a forgery, or report it to the issuer.",
        mosip: "ERR_MISSING_PROOF")
    package static let proofMalformed = ReasonCode(
        "proof.malformed", "The signature is not encoded as its suite requires.",
        "Treat as tampering, or report it to the issuer.", mosip: "ERR_INVALID_PROOF")
    package static let proofSuiteUnsupported = ReasonCode(
        "proof.suite-unsupported", "This version does not verify proofs of this kind.",
        "Ask the issuer for a supported proof suite, or update Gatehouse.", mosip: "ERR_INVALID_PROOF_TYPE")
    package static let proofAlgorithm = ReasonCode(
        "proof.algorithm", "The signature's algorithm does not belong to its suite or key.",
        "Treat as tampering, or report it to the issuer.", mosip: "ERR_INVALID_ALGORITHM")
    package static let proofPurpose = ReasonCode(
        "proof.purpose", "The proof was made for another purpose.", "Treat as tampering, or report it to the issuer.")
    package static let proofInvalid = ReasonCode(
        "proof.invalid", "The signature does not match: the content was altered or another key signed it.",
        "Treat as a forgery. If every credential of one issuer fails, compare its contexts and keys with the trust "
            + "directory.",
        mosip: "ERR_SIGNATURE_VERIFICATION_FAILED")
    package static let proofExpired = ReasonCode(
        "proof.expired", "The proof has expired.", "The holder needs a new credential from the issuer.")
    package static let disclosureMalformed = ReasonCode(
        "disclosure.malformed", "A disclosure does not have the form that RFC 9901 requires.",
        "Report it to the "
            + "wallet's developers.",
        mosip: "ERR_INVALID_DISCLOSURE_FORMAT")
    package static let disclosureName = ReasonCode(
        "disclosure.name", "A disclosure uses a reserved or already present name.", "Treat as tampering.",
        mosip: "ERR_INVALID_DISCLOSURE_CLAIM_NAME")
    package static let disclosureDuplicate = ReasonCode(
        "disclosure.duplicate", "A disclosure or digest occurs twice.", "Treat as tampering.")
    package static let disclosureUnreferenced = ReasonCode(
        "disclosure.unreferenced", "A disclosure matches no signed digest.", "Treat as tampering.")
    package static let mdocDoctype = ReasonCode(
        "mdoc.doctype", "The signed and the stated document type differ.", "Treat as tampering.")
    package static let mdocDigest = ReasonCode(
        "mdoc.digest", "An item does not match its signed digest.", "Treat as tampering.")
    package static let mdocCountry = ReasonCode(
        "mdoc.country", "The issuing country is not that of the signer.",
        "Treat as tampering, or report it to the "
            + "issuer.")
    package static let claimsUnsigned = ReasonCode(
        "claims.unsigned", "The credential contains members that the signature does not cover.",
        "Report it to the issuer, whose contexts do not define them; the compat profile accepts and hides them.")

    // Status
    package static let statusRevoked = ReasonCode(
        "status.revoked", "The issuer has revoked the credential.", "The holder must contact the issuer.",
        mosip: "ERR_VC_REVOKED")
    package static let statusSuspended = ReasonCode(
        "status.suspended", "The issuer has suspended the credential.", "The holder must contact the issuer.")
    package static let statusStale = ReasonCode(
        "status.stale", "The stored status list is outside its validity period.",
        "Refresh the status lists of the trust directory.",
        mosip: "STATUS_VERIFICATION_ERROR")
    package static let statusUnavailable = ReasonCode(
        "status.unavailable", "The status list that the credential names is not stored.",
        "Add the list to status/ in the trust directory, or let the refresher fetch it.",
        mosip: "STATUS_RETRIEVAL_ERROR")
    package static let statusInvalid = ReasonCode(
        "status.invalid",
        "The stored status list is not acceptable: signature, issuer, purpose, id, length, index, encoding or value.",
        "Refresh the list; if it remains unacceptable, report it to the issuer.", mosip: "STATUS_VERIFICATION_ERROR")

    // Holder, replay and policy
    package static let holderProofMissing = ReasonCode(
        "holder.proof-missing", "The gate requires a holder's proof and none was sent.",
        "Present with a wallet that signs presentations, or relax the policy.")
    package static let holderInvalid = ReasonCode(
        "holder.invalid", "The holder's proof is invalid.", "Treat as a stolen credential.",
        mosip: "ERR_SIGNATURE_VERIFICATION_FAILED")
    package static let replaySeen = ReasonCode(
        "replay.seen", "The same credential was presented a moment ago.", "Wait until the replay window has passed.")
    package static let policyNoMatch = ReasonCode(
        "policy.no-match", "No rule of the policy applies to a credential of this format, type and issuer.",
        "If such credentials should be admitted, add an [[accept]] rule to the policy file.")
    package static let policyExpired = ReasonCode(
        "policy.expired", "The policy is past its valid-until date.", "Install a newer policy file.")
}
