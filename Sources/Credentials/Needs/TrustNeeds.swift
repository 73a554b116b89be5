package import Encoding

/// What a payload would need of the trust data to be accepted, all at once: for an operator who has a credential in hand and
/// must decide whether to trust its issuer.
///
/// Everything in it is what the payload says. A stranger may have written that: nothing was verified and nothing is believed, no
/// signature and no digest; it tells what to ask the issuer for, and what of it the trust data has already.
package struct TrustNeeds: Sendable {
    /// One thing that the trust data must hold.
    package struct Need: Hashable, Sendable {
        /// What kind of thing it is, in the order in which they are told.
        package enum Kind: String, CaseIterable, Sendable {
            /// An entry of `issuers.toml`: of who issued a token or linked data, or of the root of an mdoc's signer.
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

        /// What kind of thing it is.
        package let kind: Kind
        /// The issuer's or document's id, the URL of context or list, the root's `x509:sha256:…`; nil for a root that the
        /// payload only names.
        package let id: Text?
        /// Whether the trust data has it, with all that is asked of it.
        package internal(set) var isPresent: Bool
        /// Of a root: its name.
        package internal(set) var name: String?
        /// Of a document: the keys that it must have, by the URLs that proofs name them by.
        package internal(set) var keys: [Text] = []
        /// Of a document: where its owner publishes it.
        package internal(set) var address: Text?
        /// Of a context that ships with the product: its SHA-256, 64 hexadecimal digits.
        package internal(set) var builtIn: String?
        /// Of an issuer: lines that its entry lacks, in TOML. `controllers` and `status-issuers` give others its voice: who made
        /// a forgery would like them to be written.
        package internal(set) var lines: [String] = []
        /// Of an issuer: the types of its credential that its entry lacks; ``lines`` has them too.
        package internal(set) var types: [Text] = []
        /// Of an issuer: whether there is an entry at all.
        package internal(set) var isListed = false

        init(_ kind: Kind, _ id: Text?, isPresent: Bool) {
            (self.kind, self.id, self.isPresent) = (kind, id, isPresent)
        }
    }

    /// The format of the payload; nil when it is none that is verified.
    package let format: CredentialFormat?
    /// What is needed, by kind.
    package let needs: [Need]
    /// Why nothing, or nothing of a part, can be told.
    package let refusal: Reason?
    /// What the payload is instead, where that can be told.
    package let unsupported: UnsupportedFormat?
    /// How many things more there are than are told (``Limits/needs``), or have endless names.
    package let omitted: Int

    /// Looks at what a wallet would hand over. Bounded like a verification, and without cryptography but for the signatures
    /// between certificates and pinned roots.
    ///
    /// - Parameters:
    ///   - payload: The bytes as received.
    ///   - trust: The trust data that it is held against.
    ///   - limits: The bounds in force.
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

    /// Whether nothing is missing. What the issuer's signature, the dates and the gate's rules say is another matter.
    package var isComplete: Bool {
        refusal == nil && omitted == 0 && !needs.isEmpty && needs.allSatisfy(\.isPresent)
    }
}
