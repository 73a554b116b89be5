import Encoding
import TestKit

extension Respeller {
    /// All candidates in an order without a plan that is the same in every run; those about a member that decides come first.
    func chosen(seed document: JSON) -> [Candidate] {
        var generator = FixedGenerator(state: UInt64(document.compactBytes.count))
        let all = candidates.shuffled(using: &generator)
        // Every other one, so that a sample holds both.
        let decisive = all.filter { Self.decisive.contains($0.member) }
        let others = all.filter { !Self.decisive.contains($0.member) }
        return (0..<max(decisive.count, others.count)).flatMap { index in
            [decisive, others].compactMap { $0.indices.contains(index) ? $0[index] : nil }
        }
    }

    private static let decisive: Set<Text> = [
        "issuanceDate", "expirationDate", "validFrom", "validUntil", "issuer", "credentialStatus", "credentialSubject",
        "expires", "holder", "challenge", "domain", "statusListIndex", "statusPurpose", "statusListCredential",
    ]
}
