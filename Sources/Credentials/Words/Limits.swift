import Encoding

/// The limits of one verification. The limits count steps of work, never time.
package struct Limits: Sendable {
    /// The maximum size of a payload in bytes: 4 MiB, half of Tuvali's limit for inflation and eight times the largest
    /// known card with a portrait. A signature over a graph needs several copies of a long text. Larger texts would not
    /// fit into 64 MiB.
    package var payloadBytes = 4 * 1024 * 1024
    /// The maximum length of a token, or of an mdoc in base64url, in bytes: 2 MiB. Cards with a portrait of usual
    /// resolution are below 1 MiB, even as a token inside a token. Decoding a longer token takes too long for a gate.
    package var tokenBytes = 2 * 1024 * 1024
    /// The maximum nesting depth of JSON.
    var jsonDepth = 64
    /// The maximum number of JSON values, including containers. The limit is above the number of objects and scalars
    /// that a linked-data document may have.
    var jsonValues = 50_000
    /// The maximum number of proofs on one document.
    package var proofs = 8
    /// The maximum number of credentials in one presentation.
    package var credentials = 8
    /// The maximum number of status entries of one credential.
    var statusEntries = 8
    /// The maximum length of a `jws` or `proofValue` in bytes. The longest practical signature (RSA 8192 bits, header
    /// with certificate hash) is shorter.
    var signatureBytes = 8 * 1024
    /// The maximum length of a token's header in bytes. A header with a chain of five certificates with large RSA keys
    /// is shorter.
    var tokenHeaderBytes = 64 * 1024
    /// The maximum number of disclosures of one SD-JWT.
    package var disclosures = 1000
    /// The maximum length of the proof value of a selective disclosure in bytes. A shown statement needs 100 bytes.
    var disclosureProofBytes = 256 * 1024
    /// The maximum length of an identifier or key reference in bytes. A did:jwk with a large RSA key is shorter.
    var identifierBytes = 16 * 1024
    /// The maximum number of nodes and values that the gate's rules may read in total: as many as a linked-data
    /// credential may have statements. A rule beyond the limit has the result unknown.
    package var ruleNodes = 20_000
    /// The maximum size of an inflated status list in bytes: 4 MiB, or 33 million entries of one bit.
    package var statusListBytes = 4 * 1024 * 1024
    /// The minimum number of entries of a bitstring status list (Bitstring Status List 1.0 section 3.1).
    package var statusListEntries = 131_072
    /// The maximum number of certificates in a signer's chain, including the signer's certificate.
    package var certificates = 5
    /// The maximum number of data elements of one mdoc.
    var dataElements = 1000
    /// The maximum nesting depth of arrays, maps and tags in CBOR.
    var cborDepth = 64
    /// The maximum number of CBOR items of one payload, including the items inside its byte strings.
    var cborItems = 65_536
    /// The maximum size of one certificate in bytes.
    var certificateBytes = 16 * 1024
    /// The maximum number of pointers to unsigned members in a verdict.
    var unsignedPointers = 64
    /// The maximum number of contexts that a verdict lists as not pinned.
    package var missingContexts = 32
    /// The maximum number of needs (required parts of the trust data) that are reported for one payload. Further needs
    /// are only counted.
    package var needs = 64
    /// The maximum length of an issuer or type in a record, in bytes. Longer texts are omitted.
    var recordedBytes = 2048
    /// The maximum number of types in a record. Further types are omitted.
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
