import Encoding
import Reasons

/// The issuer data authentication of all documents in one mdoc payload (ISO/IEC 18013-5 section 9.3.1).
///
/// The device's part (a signature or MAC over a session transcript) is ignored, because Tuvali has no such session. An
/// mdoc therefore proves the statements of its issuer, but not the identity of the person who presents it.
struct MdocCheck: FormatCheck {
    let verificationContext: VerificationContext
    private let letters: [UInt8]
    let mode: VerificationMode
    /// The evidence so far, up to the stage that failed.
    private(set) var evidence: Evidence

    /// Creates a check of base64url text.
    init(
        _ letters: [UInt8], _ verificationContext: VerificationContext, mode: VerificationMode,
        summary: CredentialSummary
    ) {
        self.letters = letters
        self.verificationContext = verificationContext
        self.mode = mode
        evidence = Evidence(summary)
    }

    /// Checks the shape of all documents first, then verifies each document.
    mutating func verify() throws(Rejection) { try verify(shapeOnly: false) }

    mutating func checkShape() throws(Rejection) { try verify(shapeOnly: true) }

    private mutating func verify(shapeOnly: Bool) throws(Rejection) {
        var decoder = CBORDecoder(limits: verificationContext.limits.cbor)
        let item = try verificationContext.stage(.syntax) { () throws(Rejection) in
            guard let bytes = Base64.decodePaddedURL(letters) else { throw Rejection(.cborSyntax) }
            return try decoder.read(bytes[...])
        }
        let documents = try verificationContext.stage(.envelope) { () throws(Rejection) in
            try MdocDocument.all(in: item, limits: verificationContext.limits)
        }
        var checks: [MdocDocumentCheck] = []
        try verificationContext.stage(.shape) { () throws(Rejection) in
            for document in documents {
                do throws(Rejection) {
                    checks.append(
                        try MdocDocumentCheck(
                            document, verificationContext, mode: mode, summary: evidence.summary, decoder: &decoder))
                } catch { throw error.inside(document.place) }
            }
        }
        if shapeOnly { return }
        for var check in checks {
            try evidence.present(at: check.document.place) { (found) throws(Rejection) in
                defer { found = check.evidence }
                try check.verify()
            }
        }
    }
}
