/// One entry point of the product for fuzzing: its check of an input, and its first inputs.
struct FuzzTarget: Sendable {
    /// The target's name in `Tests/Fuzz/run`.
    let name: String
    /// The length of the longest input in bytes.
    let longest: Int
    /// The first inputs, from `Tests/Vectors` or made here; longer ones than ``longest`` are left out.
    let seeds: @Sendable () throws -> [[UInt8]]
    /// Passes an input to the product and checks the results with ``require(_:_:)``.
    let check: @Sendable ([UInt8]) -> Void

    static let all: [FuzzTarget] = [
        .json, .jsonLD, .nQuads, .cbor, .texts, .inflate, .statusList, .certificate, .key, .toml, .policy, .bundle,
        .signed, .respelling, .confusion, .sdJWT, .jws, .mdoc, .envelope, .report, .delivery, .control, .agency,
        .mediator, .answer, .url, .endpoint,
        .hci, .acl, .l2cap, .attribute, .session, .h4,
    ]
}

/// Ends the process with that message, like a trap, if a property does not hold.
func require(_ holds: Bool, _ property: @autoclosure () -> String) {
    if !holds { fatalError("property: " + property()) }
}
