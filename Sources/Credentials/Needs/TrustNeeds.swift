package import Encoding

/// The parts of the trust data that a payload needs in order to be accepted. The list is for an operator who has a
/// credential and must decide whether to trust its issuer.
///
/// The list is derived from the payload, which may come from an attacker: no signature and no digest was verified. The
/// list shows which data the operator must request from the issuer, and which data is already present.
package struct TrustNeeds: Sendable {
    /// One required part of the trust data.
    package struct Need: Hashable, Sendable {
        /// The kind of a part, in the order of the listing.
        package enum Kind: String, CaseIterable, Sendable {
            /// An entry of `issuers.toml` for the issuer of a token or of linked data, or for the root of an mdoc's
            /// signer.
            case issuer
            /// A certificate in `roots/`.
            case root
            /// A DID or controller document, or a single key, in `did/`.
            case document
            /// An entry of `contexts/index.json`.
            case context
            /// A list in `status/`.
            case statusList = "status-list"
        }

        /// The kind of the part.
        package let kind: Kind
        /// The id of the issuer or document, the URL of the context or list, or the root's `x509:sha256:…`; nil for a
        /// root of which the payload contains only the name.
        package let id: Text?
        /// Whether the trust data already has the part, including all required lines and keys.
        package internal(set) var isPresent: Bool
        /// The name of the root, for the need of a root; nil for other needs.
        package internal(set) var name: String?
        /// For a document: the URLs of the keys that the document must contain.
        package internal(set) var keys: [Text] = []
        /// For a document: the URL at which its owner publishes it; nil if the id of the document implies no URL.
        package internal(set) var address: Text?
        /// For a context that ships with the product: its SHA-256, 64 hexadecimal digits.
        package internal(set) var builtIn: String?
        /// For an issuer: the lines in TOML that are missing in the issuer's entry in the trust data. The lines
        /// `controllers` and `status-issuers` let other ids sign for the issuer, so a forger would want an operator to
        /// add them.
        package internal(set) var lines: [String] = []
        /// For an issuer: the types of the credential that are missing in the issuer's entry. ``lines`` contains these
        /// types, too.
        package internal(set) var types: [Text] = []
        /// For an issuer: whether the trust data has an entry for the issuer.
        package internal(set) var isListed = false

        init(_ kind: Kind, _ id: Text?, isPresent: Bool) {
            (self.kind, self.id, self.isPresent) = (kind, id, isPresent)
        }
    }

    /// The format of the payload; nil if the format is not supported.
    package let format: CredentialFormat?
    /// The needs, by kind.
    package let needs: [Need]
    /// The reason why the payload or a part of it is unreadable; nil if the whole payload is readable.
    package let refusal: Reason?
    /// The format of the payload, if this program recognises the format but does not support it; otherwise nil.
    package let unsupported: UnsupportedFormat?
    /// The number of omitted needs: those beyond the limit (``Limits/needs``) and those with overlong names.
    package let omitted: Int

    /// Reads the needs of a payload as sent by a wallet. The work has the same limits as a verification. The only
    /// cryptography is the verification of signatures between certificates and pinned roots.
    ///
    /// - Parameters:
    ///   - payload: The bytes as received.
    ///   - trust: The trust data to compare with.
    ///   - limits: The limits in force.
    package init(of payload: [UInt8], in trust: TrustStore, limits: Limits = .init()) {
        var reader = NeedsReader(trust: trust, limits: limits)
        var refusal: Rejection?
        do throws(Rejection) { try reader.read(payload) } catch { refusal = error }
        format = reader.format
        self.refusal = refusal?.reason
        unsupported = refusal?.unsupported
        let order = Need.Kind.allCases
        needs = order.flatMap { kind in reader.needs.filter { $0.kind == kind } }
        omitted = reader.omitted
    }

    /// Whether no part is missing. The issuer's signature, the dates and the gate's rules are not considered.
    package var isComplete: Bool {
        refusal == nil && omitted == 0 && !needs.isEmpty && needs.allSatisfy(\.isPresent)
    }
}
