import Encoding

/// One mdoc inside what was received.
struct MdocDocument {
    /// What the sender says it is; nil for a bare IssuerSigned.
    let docType: CBOR?
    /// Whether the wrapping has a place for the docType, so that it may not be missing.
    let isWrapped: Bool
    let issuerSigned: CBOR
    /// Where the document stands: empty, or its place in a DeviceResponse.
    let place: String

    /// The wrappings in use: a DeviceResponse with one or more documents (ISO/IEC 18013-5 section 8.3.2.1.2.2), MOSIP's
    /// `{docType, issuerSigned}` and a bare IssuerSigned. What else they hold is the wallet's own: a device signature
    /// covers the session of a transport that this verifier has no part in, so nothing of it counts.
    ///
    /// - Throws: `envelope.unknown` when it is none of them or holds no document; `input.too-large`.
    static func all(in item: CBOR, limits: Limits) throws(Rejection) -> [MdocDocument] {
        guard item.map != nil else { throw Rejection(.envelopeUnknown) }
        guard let documents = item["documents"] else { return [try single(item, at: "")] }
        guard let documents = documents.array, !documents.isEmpty else {
            throw Rejection(.envelopeUnknown, at: "/documents")
        }
        guard documents.count <= limits.credentials else { throw Rejection(.inputTooLarge, at: "/documents") }
        var all: [MdocDocument] = []
        for (index, document) in documents.enumerated() {
            let pointer = Pointer.append("/documents", index)
            let document = try single(document, at: pointer)
            guard document.isWrapped else { throw Rejection(.envelopeUnknown, at: pointer) }
            all.append(document)
        }
        return all
    }

    private static func single(_ item: CBOR, at place: String) throws(Rejection) -> MdocDocument {
        if let issuerSigned = item["issuerSigned"] {
            return MdocDocument(
                docType: item["docType"], isWrapped: true, issuerSigned: issuerSigned, place: place)
        }
        guard item["issuerAuth"] != nil || item["nameSpaces"] != nil else {
            throw Rejection(.envelopeUnknown, at: place)
        }
        return MdocDocument(docType: item["docType"], isWrapped: false, issuerSigned: item, place: place)
    }

    /// Where the issuer's part stands in the document.
    var issuerSignedPointer: String { isWrapped ? "/issuerSigned" : "" }
}
