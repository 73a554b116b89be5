import Encoding
import Reasons

/// One data element of an mdoc (ISO/IEC 18013-5 section 8.3.2.1.2.2).
struct IssuerSignedItem {
    /// The number under which the issuer signed the digest of the element.
    let digestID: UInt64
    /// The element's name.
    let identifier: Text
    /// The element's value.
    let value: CBOR
    /// The tagged byte string #6.24(bstr) as received. The digest covers these bytes.
    let taggedBytes: ArraySlice<UInt8>

    /// Reads one item.
    ///
    /// - Throws: `shape.member` if the item is not a data element, `cbor.syntax` if its byte string is not CBOR.
    init(_ item: CBOR, decoder: inout CBORDecoder) throws(Rejection) {
        guard let content = item.tagged(24)?.bytes else { throw Rejection(.shapeMember) }
        let fields = try decoder.read(content)
        guard let digestID = fields["digestID"]?.unsigned, fields["random"]?.bytes != nil,
            let identifier = fields["elementIdentifier"]?.text, let value = fields["elementValue"]
        else { throw Rejection(.shapeMember) }
        self.digestID = digestID
        self.identifier = identifier
        self.value = value
        taggedBytes = item.encoded
    }
}

/// The part of an mdoc that the issuer signs: `{nameSpaces, issuerAuth}`.
struct IssuerSigned {
    /// The data elements of one namespace in the order received.
    struct NameSpace {
        let name: Text
        let items: [IssuerSignedItem]
        /// The place of the member `nameSpaces`, as a JSON pointer.
        let parent: String

        /// The place of the namespace. The pointer is made only for a finding, because names from an untrusted source
        /// may be long.
        var pointer: String { Pointer.append(parent, name) }
    }

    let nameSpaces: [NameSpace]
    /// The issuer's signature and the signed object; nil when the signature is missing.
    let authentication: (message: COSESign1, object: MobileSecurityObject)?
    /// The place of this part in the payload, as a JSON pointer.
    let pointer: String

    /// Reads the structure of an mdoc's issuer-signed part. A missing signature is not an error here; the caller
    /// handles it.
    ///
    /// A document without any disclosed element proves nothing and is refused.
    ///
    /// - Throws: `shape.member`, `cbor.syntax`, `input.too-large`, and the errors of ``COSESign1`` and
    ///   ``MobileSecurityObject``.
    init(
        _ issuerSigned: CBOR, profile: Profile, limits: Limits, decoder: inout CBORDecoder, at pointer: String
    ) throws(Rejection) {
        self.pointer = pointer
        guard issuerSigned.map != nil else { throw Rejection(.shapeMember, at: pointer) }
        let place = pointer + "/nameSpaces"
        guard let members = issuerSigned["nameSpaces"]?.map, !members.isEmpty else {
            throw Rejection(.shapeMember, at: place)
        }
        var nameSpaces: [NameSpace] = []
        var count = 0
        for member in members {
            guard let name = member.key.text, let elements = member.value.array, !elements.isEmpty else {
                throw Rejection(.shapeMember, at: place)
            }
            count += elements.count
            guard count <= limits.dataElements else { throw Rejection(.inputTooLarge, at: place) }
            var items: [IssuerSignedItem] = []
            for (index, element) in elements.enumerated() {
                do throws(Rejection) {
                    items.append(try IssuerSignedItem(element, decoder: &decoder))
                } catch {
                    throw error.moved(to: Pointer.append(Pointer.append(place, name), index))
                }
            }
            nameSpaces.append(NameSpace(name: name, items: items, parent: place))
        }
        self.nameSpaces = nameSpaces
        guard let message = issuerSigned["issuerAuth"] else {
            authentication = nil
            return
        }
        let proof = pointer + "/issuerAuth"
        let signed = try COSESign1(message, decoder: &decoder, at: proof)
        let object = try MobileSecurityObject(signed.payload, profile: profile, decoder: &decoder, at: proof)
        authentication = (signed, object)
    }
}
