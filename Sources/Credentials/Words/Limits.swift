import Encoding

/// Bounds on what one verification may take. Complexity is counted in work, never in time.
package struct Limits: Sendable {
    /// Bytes of a payload: 4 MiB, half of what Tuvali may inflate and eight times the largest card with a portrait that is
    /// known. A signature over a graph needs several copies of a long text; beyond this they would not fit into 64 MiB.
    package var payloadBytes = 4 * 1024 * 1024
    /// Letters of a token or of an mdoc in base64url: 2 MiB. Cards with a portrait of the usual resolution stay below 1 MiB
    /// even as a token inside a token; decoding more than this would take longer than a gate should.
    package var tokenLetters = 2 * 1024 * 1024
    /// Containers inside each other in JSON.
    package var jsonDepth = 64
    /// Values in JSON, containers included: more than the objects and scalars that a linked-data document may have.
    package var jsonValues = 50_000
    /// Proofs on one document.
    package var proofs = 8
    /// Credentials in one presentation.
    package var credentials = 8
    /// Status entries of one credential.
    package var statusEntries = 8
    /// Letters of a `jws` or `proofValue`; the longest real one (RSA 8192 bits, header with certificate hash) is below.
    package var signatureLetters = 8 * 1024
    /// Letters of a token's header; a chain of five certificates with large RSA keys stays below.
    package var tokenHeaderLetters = 64 * 1024
    /// Disclosures of one SD-JWT.
    package var disclosures = 1000
    /// Letters of the proof value of a selective disclosure: 100 bytes for each statement that is shown.
    package var disclosureProofLetters = 256 * 1024
    /// Letters of an identifier or key reference; did:jwk with a large RSA key stays below.
    package var identifierLetters = 16 * 1024
    /// Nodes and values that the gate's rules look at in all: as many as a linked-data credential may have statements. What a
    /// rule asks beyond that cannot be told.
    package var ruleNodes = 20_000
    /// Bytes of an inflated status list: 4 MiB, 33 million credentials of one bit.
    package var statusListBytes = 4 * 1024 * 1024
    /// Entries that a bitstring status list must at least have (Bitstring Status List 1.0 section 3.1).
    package var statusListEntries = 131_072
    /// Certificates that a signer may bring, itself included.
    package var certificates = 5
    /// Data elements of one mdoc.
    package var dataElements = 1000
    /// Arrays, maps and tags inside each other in CBOR.
    package var cborDepth = 64
    /// CBOR items of one payload, with those inside its byte strings.
    package var cborItems = 65_536
    /// Bytes of one certificate.
    package var certificateBytes = 16 * 1024
    /// Pointers of unsigned members that a verdict lists.
    package var unsignedPointers = 64
    /// Contexts that a verdict says are not pinned.
    package var missingContexts = 32
    /// Things that a document needs of the trust data, as far as they are told.
    package var needs = 64
    /// Letters of an issuer or type that goes into a record; longer ones are left out.
    package var recordedLetters = 2048
    /// Types that go into a record.
    package var recordedTypes = 16

    /// The documented defaults.
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
