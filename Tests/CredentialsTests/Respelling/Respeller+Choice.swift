import Encoding
import TestKit

extension Respeller {
    /// Returns all candidates in a pseudorandom order that is the same in every run; those about a decisive
    /// member are first.
    func chosen(seed document: JSON) -> [Candidate] {
        var generator = FixedGenerator(state: UInt64(document.compactBytes.count))
        let all = candidates.shuffled(using: &generator)
        // Decisive and other candidates alternate, so that a sample contains both.
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
