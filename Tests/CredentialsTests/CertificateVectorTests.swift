import Encoding
import Foundation
import TestKit
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import Credentials

/// Extracts the certificate chains of the vectors and validates each chain alone. The expected verdict on the whole
/// credential determines the expected result.
@Suite struct CertificateVectorTests {
    private static let folders = ["vc/generated", "vc/mosip", "mdoc/generated"]

    @Test(arguments: folders) func chains(of folder: String) throws {
        guard let path = Vectors.path(folder) else { return }
        var tally = VectorTally("\(folder), certificate paths")
        for item in try VerdictCase.all(in: path) where item.json["trust"]?["roots"] != nil && item.mode == nil {
            let payload = try item.payload()
            let isToken = folder.hasPrefix("vc/")
            guard let chain = isToken ? Self.tokenChain(payload) : Self.documentChain(payload) else { continue }
            let codes = item.wantedCodes
            // The dates of the token are checked before those of the certificate.
            let late = codes == ["validity.expired", "chain.expired"]
            let wanted = codes.filter { $0.hasPrefix("chain.") || $0.hasPrefix("key.") }
            // "Signed before the certificate began" needs the date of the signature, so a stage of the format checks
            // it.
            let isPathFine = wanted.isEmpty || item.id == "signed-before-ds"
            let trust = try item.trust()
            let clock = try #require(item.clock)
            let outcome = TestPKI.outcome(
                chain, trust.roots, role: isToken ? .tokenSigner : .documentSigner,
                entry: isToken ? trust.listedIssuers.first : nil, at: clock.utc, profile: item.profile)
            let isRight = isPathFine ? outcome == "ok" : wanted.contains(outcome)
            tally.record(item.id, isRight || late ? nil : "wanted \(wanted), got \(outcome)")
        }
        #expect(tally.finish() == [])
    }

    /// Returns `x5c` of a compact token's header; nil if it is unreadable.
    private static func tokenChain(_ payload: [UInt8]) -> [[UInt8]]? {
        let header = String(decoding: payload.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
        guard let json = Base64.decodeURL(header).flatMap({ try? JSON.parse($0) }) else { return nil }
        return json["x5c"]?.array?.map { Base64.decodeAny($0.string?.string ?? "") ?? [] }
    }

    /// Returns the value of label 33 of an unprotected header: the certificate or certificates that follow
    /// these bytes.
    private static func documentChain(_ payload: [UInt8]) -> [[UInt8]]? {
        guard let bytes = Base64.decodeAny(String(decoding: payload, as: UTF8.self)) else { return nil }
        for start in bytes.indices.dropLast(8) where Array(bytes[start..<start + 2]) == [0x18, 33] {
            var rest = bytes[(start + 2)...]
            let isList = rest.first.map { (0x81...0x85).contains($0) } ?? false
            let count = isList ? Int(rest.removeFirst() & 0x0F) : 1
            var chain: [[UInt8]] = []
            for _ in 0..<count {
                guard let head = rest.popFirst() else { return nil }
                let lengthBytes = head == 0x59 ? 2 : head == 0x58 ? 1 : 0
                let length =
                    lengthBytes == 0 ? Int(head & 0x1F) : rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
                guard head & 0xE0 == 0x40, rest.count >= lengthBytes + length else { return nil }
                chain.append(Array(rest.dropFirst(lengthBytes).prefix(length)))
                rest = rest.dropFirst(lengthBytes + length)
            }
            return chain
        }
        return nil
    }

    /// PEM files as they occur in practice, and files that are refused at once.
    @Test func filesOfRoots() throws {
        let (first, second) = (TestPKI.pem(try TestPKI.root("A").der), TestPKI.pem(try TestPKI.root("B").der))
        func count(_ pem: [UInt8]) throws -> Int {
            var roots = CertificateRoots()
            try roots.add(pem: pem)
            return roots.all.count
        }
        #expect(try count(first) == 1)
        #expect(try count(first + second + first) == 2)
        #expect(try count(Array("Subject: CN=A\r\n".utf8) + first + Array("\n \n# the other\n".utf8) + second) == 2)
        let windows = String(decoding: first, as: UTF8.self).replacingOccurrences(of: "\n", with: " \r\n")
        #expect(try count(Array(windows.utf8)) == 1)
        let text = String(decoding: first, as: UTF8.self)
        let broken = [
            "", "no certificate", text.replacingOccurrences(of: "END", with: "ENDE"), String(text.dropLast(30)),
            text.replacingOccurrences(of: "CERTIFICATE", with: "PRIVATE KEY"),
            text.replacingOccurrences(of: "M", with: "*"),
            text + "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ]
        for text in broken {
            #expect(throws: CertificateRoots.Malformed.self) { try count(Array(text.utf8)) }
            #expect(throws: TrustStore.Failure.root(1)) {
                try TrustStore(TrustMaterial(roots: [first, Array(text.utf8)]))
            }
        }
    }

    /// Compares the results with the library's asynchronous path validation. For each chain, both must accept or both
    /// refuse.
    @Test func nothingIsAcceptedThatAnotherValidatorRefuses() async throws {
        let root = try TestPKI.root { $0.constraints = .isCertificateAuthority(maxPathLength: 1) }
        var (accepted, refused) = (0, 0)
        for choice in 0..<64 {
            func has(_ bit: Int) -> Bool { choice >> bit & 1 == 1 }
            var middle = try TestPKI.Template.authority("CA", pathLength: has(0) ? 0 : nil)
            if has(1) { middle.constraints = .notCertificateAuthority }
            if has(2) { middle.notAfter = "2026-01-01T00:00:00Z" }
            if has(3) { middle.nameConstraints = X509.NameConstraints(permittedDNSDomains: ["a.example"]) }
            let authority = try TestPKI.issue(middle, by: root)
            let lower = has(4) ? try TestPKI.issue(.authority("CA 2"), by: authority) : nil
            var bottom = try TestPKI.Template.signer()
            bottom.names = [.dnsName(has(5) ? "b.example" : "x.a.example")]
            let leaf = try TestPKI.issue(bottom, by: lower ?? authority)
            let above = [lower, authority].compactMap(\.self)

            let chain = try [leaf.der] + above.map { try $0.der }
            let ours = TestPKI.outcome(chain, try TestPKI.roots(root)) == "ok"
            var verifier = X509.Verifier(rootCertificates: CertificateStore([root.certificate])) {
                RFC5280Policy(fixedExpiryValidationTime: Date(timeIntervalSince1970: Double(TestPKI.now.seconds)))
            }
            let result = await verifier.validate(
                leaf: leaf.certificate, intermediates: CertificateStore(above.map(\.certificate)))
            if case .validCertificate = result { accepted += 1 } else { refused += 1 }
            if case .validCertificate = result { #expect(ours, "\(choice)") } else { #expect(!ours, "\(choice)") }
        }
        #expect(accepted > 5 && refused > 5)
    }
}
