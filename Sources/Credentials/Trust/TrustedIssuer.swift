package import Encoding

/// What the operator decided about one issuer: an entry of `issuers.toml`.
package struct TrustedIssuer: Hashable, Sendable {
    /// How far the issuer's document must go in allowing a key.
    package enum KeyPurpose: String, Sendable {
        /// The key must be listed in assertionMethod.
        case strict
        /// It is enough that assertionMethod names the bare DID (many MOSIP documents do no more).
        case didWide = "did-wide"
    }

    /// The id that credentials name: a DID or an https URL.
    package var id: Text
    /// Other ids whose keys may sign for this issuer.
    package var controllers: [Text]
    /// How far the issuer's document must go in allowing a key.
    package var keyPurpose: KeyPurpose
    /// Whether its credentials may bring contexts of their own even under the strict profile.
    package var inlineContexts: Bool
    /// Other ids that may sign the status lists of its credentials.
    package var statusIssuers: [Text]

    /// An entry; without further arguments the strictest.
    package init(
        id: Text, controllers: [Text] = [], keyPurpose: KeyPurpose = .strict, inlineContexts: Bool = false,
        statusIssuers: [Text] = []
    ) {
        self.id = id
        self.controllers = controllers
        self.keyPurpose = keyPurpose
        self.inlineContexts = inlineContexts
        self.statusIssuers = statusIssuers
    }
}
