import Encoding
import Foundation
import Reasons
import TestKit
import Testing

@testable import Credentials

/// Each kind accounts for every member: a stage reads the member, the member is known to be inert, or it is refused.
@Suite struct MemberTableTests {
    @Test func everySampleIsAcceptedAsItIs() throws {
        for sample in try MemberSample.all() {
            let verdict = try sample.verdict([:])
            #expect(verdict.code == .ok, "\(sample.table.read): \(verdict.reasons)")
        }
    }

    @Test func membersThatAreReadChangeTheVerdict() throws {
        for sample in try MemberSample.all() {
            for name in sample.table.read.flatMap(\.names) {
                let verdict = try sample.verdict([name: MemberSample.hostile(name)])
                #expect(!verdict.isAccepted, "\(name) of \(sample.table.read)")
            }
        }
    }

    @Test func membersThatDecideNothingChangeNothing() throws {
        for sample in try MemberSample.all() {
            for name in sample.table.inert {
                let verdict = try sample.verdict([name: MemberSample.harmless(name)])
                #expect(verdict.code == .ok, "\(name): \(verdict.reasons)")
            }
        }
    }

    @Test func membersThatDecideElsewhereAreRefused() throws {
        for sample in try MemberSample.all() {
            // A credential of VCDM 2.0 with `vct` is an SD-JWT VC.
            let isVCDM = sample.table.refused == MemberTable.vcdmSDJWT.refused
            for name in sample.table.refused where !isVCDM || name != "vct" {
                for value in [MemberSample.hostile(name), nil, "did:example:x"] as [JSON] {
                    let verdict = try sample.verdict([name: value])
                    let codes: [ReasonCode] = [.kindMember, .shapeMember, .shapeHeader]
                    #expect(codes.contains(verdict.code), "\(name) of \(sample.table.read): \(verdict.code)")
                }
            }
        }
    }

    /// A linked-data presentation is refused before its proof is examined.
    @Test func linkedDataPresentationsRefuseTheMembersOfOthers() throws {
        let verifier = Verifier(trust: try TrustStore(TestIssuer(seed: 7).material))
        for name in MemberTable.linkedDataPresentation.refused {
            var document: JSONObject = [
                "@context": ["https://www.w3.org/ns/credentials/v2"], "type": ["VerifiablePresentation"],
                "verifiableCredential": [["a": 1]], "proof": ["type": "Ed25519Signature2020"],
            ]
            document[name] = MemberSample.hostile(name)
            let verdict = verifier.verify(JSON.object(document).compactBytes, at: TestIssuer.clock)
            #expect([.kindMember, .shapeMember].contains(verdict.code), "\(name): \(verdict.code)")
        }
    }

    @Test func mobileSecurityObjectsAccountForTheirMembers() throws {
        let issuer = try TestMdoc.Issuer()
        func code(_ name: Text, _ value: CBOR?) throws -> ReasonCode {
            var mdoc = try TestMdoc(issuer)
            mdoc.object = mdoc.object.with(CBOR(.text(name)), value)
            return try mdoc.verify().code
        }
        let table = MemberTable.securityObject
        #expect(try code("extra", 7) == .ok)
        for name in table.inert { #expect(try code(name, "x") == .ok && code(name, nil) == .ok, "\(name)") }
        for name in table.read.flatMap(\.names) { #expect(try code(name, 7) != .ok, "\(name)") }
        for name in table.refused {
            #expect([.kindMember, .shapeMember].contains(try code(name, 7)), "\(name)")
        }
    }

    /// A member that is decisive in one kind is in the table of every kind.
    @Test func noTableForgetsAName() {
        for (kind, part, table) in MemberTable.all {
            let names = Set(table.read.flatMap(\.names) + table.inert).union(table.refused)
            #expect(names.isSuperset(of: MemberTable.decisive), "\(kind) \(part)")
            #expect(table.refused.isDisjoint(with: table.read.flatMap(\.names) + table.inert))
        }
        let read = Set(MemberTable.all.flatMap { $0.table.read.flatMap(\.names) })
        let others: Set<Text> = [
            "id", "jti", "nonce", "proof", "version", "docType", "validityInfo", "digestAlgorithm", "valueDigests",
        ]
        #expect(read.subtracting(MemberTable.decisive) == others)
    }

    // MARK: - The page

    @Test func thePagePrintsTheTables() throws {
        let page = try String(
            contentsOf: Vectors.repository.appendingPathComponent("docs/formats.md"), encoding: .utf8)
        let wanted = Self.markdown
        #expect(page.contains(wanted), "docs/formats.md must have:\n\(wanted)")
    }

    private static var markdown: String {
        func list(_ names: some Sequence<Text>) -> String { names.map { "`\($0)`" }.joined(separator: " ") }
        let rows = MemberTable.all.map { kind, part, table in
            let stages = Dictionary(grouping: table.read, by: \.stage).sorted { $0.key < $1.key }
            let read = stages.map { stage, entries in
                "\(stage.rawValue): " + list(entries.flatMap(\.names).sorted())
            }.joined(separator: "; ")
            return "| \(kind) | \(part) | \(read) | \(list(table.inert)) | \(list(table.refused.sorted())) |"
        }
        return (["| kind | part | read, by which stage | decides nothing | refused |", "|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }
}

extension MemberTable {
    /// All tables, each with its kinds and the part of the credential, in the order of the documentation.
    fileprivate static let all: [(kind: String, part: String, table: MemberTable)] = [
        ("`ldp_vc`", "document", linkedDataCredential), ("`ldp_vp`", "document", linkedDataPresentation),
        ("`jwt_vc_json`", "payload", jwtCredential), ("`jwt_vc_json`", "`vc`", insideVC),
        ("`vc+jwt`", "payload", vcJWT), ("`jwt_vp_json`", "payload", jwtPresentation),
        ("`jwt_vp_json`", "`vp`", insideVP), ("`vp+jwt`", "payload", vpJWT),
        ("a token in JSON", "envelope", envelope), ("`dc+sd-jwt`, `vc+sd-jwt`", "payload", sdJWTVC),
        ("`vc+sd-jwt` of VCDM 2.0", "payload", vcdmSDJWT),
        ("`sd-jwt`", "payload", plainSDJWT), ("`mso_mdoc`", "security object", securityObject),
    ]
}
