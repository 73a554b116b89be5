import Encoding
import Reasons

/// One mdoc of a payload.
struct MdocDocument {
    /// The docType that the sender states outside the signature; nil if there is none.
    let docType: CBOR?
    /// Whether the issuer's part is in a member `issuerSigned` of the document. If so, the document must have a
    /// docType.
    let isWrapped: Bool
    let issuerSigned: CBOR
    /// The place of the document: empty, or its place in a DeviceResponse.
    let place: String

    /// Returns the mdocs in a payload. Accepts three envelopes: a DeviceResponse with documents (ISO/IEC 18013-5
    /// section 8.3.2.1.2.2), MOSIP's `{docType, issuerSigned}`, and a bare IssuerSigned. The wallet adds the other
    /// members of these envelopes, which are ignored. A device signature is ignored, too, because it covers a transport
    /// session in which this verifier takes no part.
    ///
    /// - Throws: `envelope.unknown` for any other payload and for a payload without documents; `input.too-large`.
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

    /// The place of the issuer's part in the document.
    var issuerSignedPointer: String { isWrapped ? "/issuerSigned" : "" }
}
