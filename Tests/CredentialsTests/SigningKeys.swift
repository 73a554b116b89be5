import Encoding
import Reasons

@testable import Credentials

/// The methods of a stored document that may sign credentials in the name of an id, found by the product's key stage.
struct SigningKeys {
    private let trust: TrustStore
    private let document: ControllerDocument

    init(stored bytes: [UInt8]) throws(Rejection) {
        guard let json = try? JSON.parse(bytes) else { throw Rejection(.jsonSyntax) }
        guard let document = ControllerDocument(json), let trust = try? TrustStore(TrustMaterial(documents: [bytes]))
        else { throw Rejection(.keyMalformed) }
        (self.document, self.trust) = (document, trust)
    }

    /// Returns the ids of the methods whose keys may sign, in document order. Without any, throws the most informative
    /// refusal.
    func keys(of did: Text, _ keyPurpose: TrustedIssuer.KeyPurpose) throws(Rejection) -> [Text] {
        // The document that is stored for an id must be the document of that id (DID Resolution 1.0 section
        // 4.3).
        guard document.id == did else { throw Rejection(.issuerKeyMismatch) }
        let authority = KeyResolver.Authority(TrustedIssuer(id: did, keyPurpose: keyPurpose))
        var (keys, refusals): ([Text], [Rejection]) = ([], [])
        for method in document.listedMethods {
            do throws(Rejection) {
                _ = try KeyResolver(trust: trust).key(method.id, for: .assertionMethod, of: authority, at: "")
                keys.append(method.id)
            } catch { refusals.append(error) }
        }
        guard keys.isEmpty else { return keys }
        // The refusal at the latest stage is the most informative.
        let order: [ReasonCode] = [.keyWeak, .keyMalformed, .issuerKeyMismatch, .keyNotAuthorised]
        throw order.lazy.compactMap { code in refusals.first { $0.reason.code == code } }.first
            ?? Rejection(.keyNotAuthorised)
    }
}
