import Encoding

/// The limits of one verification. The effort is limited by counting steps of work, never by time.
package struct Limits: Sendable {
    /// The maximum size of a payload in bytes: 4 MiB, half of what Tuvali may inflate and eight times the
    /// largest known card with a portrait. A signature over a graph needs several copies of a long text;
    /// larger ones would not fit into 64 MiB.
    package var payloadBytes = 4 * 1024 * 1024
    /// The maximum length of a token, or of an mdoc in base64url, in letters: 2 MiB. Cards with a portrait of
    /// the usual resolution are below 1 MiB even as a token inside a token; decoding more than the limit
    /// would take too long for a gate.
    package var tokenBytes = 2 * 1024 * 1024
    /// The maximum nesting depth of JSON.
    var jsonDepth = 64
    /// The number of JSON values, including containers: more than the objects and scalars that a linked-data
    /// document may have.
    var jsonValues = 50_000
    /// The maximum number of proofs on one document.
    package var proofs = 8
    /// The maximum number of credentials in one presentation.
    package var credentials = 8
    /// The maximum number of status entries of one credential.
    var statusEntries = 8
    /// The length of a `jws` or `proofValue` in letters; the longest real one (RSA 8192 bits, header with
    /// certificate hash) is shorter.
    var signatureBytes = 8 * 1024
    /// The length of a token's header in letters; one with a chain of five certificates with large RSA keys
    /// is shorter.
    var tokenHeaderBytes = 64 * 1024
    /// The maximum number of disclosures of one SD-JWT.
    package var disclosures = 1000
    /// The length of the proof value of a selective disclosure in letters: 100 bytes for each shown
    /// statement.
    var disclosureProofBytes = 256 * 1024
    /// The length of an identifier or key reference in letters; a did:jwk with a large RSA key is shorter.
    var identifierBytes = 16 * 1024
    /// The total number of nodes and values that the gate's rules may read: as many as a linked-data
    /// credential may have statements. The result of a rule beyond the limit is unknown.
    package var ruleNodes = 20_000
    /// The size of an inflated status list in bytes: 4 MiB, 33 million credentials of one bit.
    package var statusListBytes = 4 * 1024 * 1024
    /// The minimum number of entries of a bitstring status list (Bitstring Status List 1.0 section 3.1).
    package var statusListEntries = 131_072
    /// The maximum number of certificates in a signer's chain, including the signer's own.
    package var certificates = 5
    /// The maximum number of data elements of one mdoc.
    var dataElements = 1000
    /// The maximum nesting depth of arrays, maps and tags in CBOR.
    var cborDepth = 64
    /// The maximum number of CBOR items of one payload, including the items inside its byte strings.
    var cborItems = 65_536
    /// The maximum size of one certificate in bytes.
    var certificateBytes = 16 * 1024
    /// The number of pointers to unsigned members that a verdict lists.
    var unsignedPointers = 64
    /// The number of contexts that a verdict lists as not pinned.
    package var missingContexts = 32
    /// The number of reported needs of a document, that is, of missing parts of the trust data.
    package var needs = 64
    /// The length of an issuer or type in a record, in letters; longer ones are omitted.
    var recordedBytes = 2048
    /// The number of types in a record.
    var recordedTypes = 16

    /// Creates the documented default values.
    package init() {}

    var cbor: CBORDecoder.Limits {
        var limits = CBORDecoder.Limits()
        limits.depth = cborDepth
        limits.items = cborItems
        limits.bytes = payloadBytes
        return limits
    }

    var json: JSON.Limits {
        var limits = JSON.Limits()
        limits.depth = jsonDepth
        limits.bytes = payloadBytes
        limits.values = jsonValues
        return limits
    }
}
