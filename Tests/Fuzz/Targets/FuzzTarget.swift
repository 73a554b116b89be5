/// One way into the product: what is done with an input, and what the first inputs are.
struct FuzzTarget: Sendable {
    /// What `Tests/Fuzz/run` calls it.
    let name: String
    /// Bytes of the longest input.
    let longest: Int
    /// The first inputs, from `Tests/Vectors` or made here; longer ones than ``longest`` are left out.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Gives an input to the product and holds what comes out against ``require(_:_:)``.
    let check: @Sendable ([UInt8]) -> Void

    static let all: [FuzzTarget] = [
        .json, .jsonLD, .nQuads, .cbor, .texts, .inflate, .statusList, .certificate, .key, .toml, .policy, .bundle,
        .signed, .respelling, .confusion, .sdJWT, .jws, .mdoc, .envelope, .report, .delivery, .control, .agency,
        .mediator, .answer, .url, .endpoint,
        .hci, .acl, .l2cap, .attribute, .session, .h4,
    ]
}

/// Ends the process with that message, as a trap would, when a property does not hold.
func require(_ holds: Bool, _ property: @autoclosure () -> String) {
    if !holds { fatalError("property: " + property()) }
}
