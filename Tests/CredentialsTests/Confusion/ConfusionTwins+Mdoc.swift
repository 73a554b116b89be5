import Encoding

@testable import Credentials

extension ConfusionTwin {
    /// Returns mobile documents.
    static func mdocs() throws -> [ConfusionTwin] {
        let issuer = try TestMdoc.Issuer()
        let lists = try TokenForge()
        var material = try issuer.material
        var entry = TrustedIssuer(id: try issuer.rootID, statusIssuers: [lists.id])
        entry.types = ["org.iso.18013.5.1.mDL"]
        material.issuers = [entry]
        for (name, bit) in [("clean", 0), ("dirty", 0x80)] as [(String, UInt8)] {
            let url = "https://issuer.example/mdocs/" + name
            let bits = [bit] + [UInt8](repeating: 0, count: 1023)
            let (now, claims): (Int, JSON) = (
                Int(TestMdoc.clock.utc.seconds),
                ["bits": 1, "lst": .text(Base64.encode(try Gzip.deflate(bits, container: .zlib)))]
            )
            let token = try lists.sign(
                lists.header("statuslist+jwt"),
                [
                    "sub": .text(url), "iat": .int(now - 60), "exp": .int(now + 3600), "status_list": claims,
                ])
            material.statusLists[Text(url)] = Array(token.utf8)
        }
        let maker = try TwinMaker(
            "mso_mdoc", material, clock: TestMdoc.clock, root: "/nameSpaces/\(TestMdoc.nameSpace)/", label: .mdoc)
        func twin(_ state: TwinState, _ change: (inout TestMdoc) -> Void = { _ in }) throws -> ConfusionTwin {
            var mdoc = try TestMdoc(issuer)
            mdoc.items[0].items.append(TestMdoc.item(9, "level", 3))
            change(&mdoc)
            return try maker.twin(try mdoc.letters(), state)
        }
        func listed(_ name: String) -> (inout TestMdoc) -> Void {
            { mdoc in
                let url = CBOR(.text(Text("https://issuer.example/mdocs/" + name)))
                mdoc.object = mdoc.object.with("status", ["status_list": ["idx": 7, "uri": url]])
            }
        }
        let stranger = try TestMdoc(TestMdoc.Issuer()).letters()
        let states = TwinState.ruled(subject: "did:example:nobody", type: "org.iso.18013.5.1.mDL")
            // An mdoc names no subject, so a rule about a subject refuses it in any case.
            .filter { $0.name != "denied subject" }
        return try states.map { try twin($0) } + [
            try twin(TwinState(name: "expired", code: "validity.expired")) {
                $0.setDate("validUntil", .tag(0, "2026-06-01T00:00:00Z"))
            },
            try twin(TwinState(name: "not yet valid", code: "validity.not-yet")) {
                $0.setDate("validFrom", .tag(0, "2026-12-24T00:00:00Z"))
            },
            try twin(TwinState(name: "not revoked", code: "ok"), listed("clean")),
            try twin(TwinState(name: "revoked", code: "status.revoked"), listed("dirty")),
            try maker.twin(stranger, TwinState(name: "stranger's", code: "chain.untrusted")),
        ]
    }
}
