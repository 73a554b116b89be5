import Encoding

@testable import Credentials

/// A way to present the same signed content without a key of its issuer: another label, wrapper, suffix, envelope,
/// serialisation, order, spelling of a number, nesting, or an unsigned addition.
struct Disguise: Sendable {
    let name: String
    /// Whether the disguise removes or replaces the presenter's signature. A defect of that signature may then
    /// disappear.
    var replacesPresenter = false
    /// Whether the disguise removes a part of the payload. If that part was unsigned and invalid, the disguised payload
    /// may be accepted.
    var takesAway = false

    /// The credential that the disguise presents in addition.
    enum Company: Sendable {
        case none
        /// Another credential that the gate accepts, in a record of which only one credential is examined.
        case record
        /// The same credential in a presentation, of which all are examined.
        case presentation
    }

    var company = Company.none
    let make: @Sendable () throws -> Showing

    init(
        _ name: String, replacesPresenter: Bool = false, takesAway: Bool = false, company: Company = .none,
        _ make: @escaping @Sendable () throws -> Showing
    ) {
        self.name = name
        self.replacesPresenter = replacesPresenter
        self.takesAway = takesAway
        self.company = company
        self.make = make
    }

    /// The families of disguises. Each returns all its disguises of a showing, always in the same order.
    static let families: [@Sendable (Showing, DisguiseKit) -> [Disguise]] = [
        { showing, _ in labels(of: showing) }, { showing, _ in affixes(of: showing) }, tokens,
        { showing, _ in binary(of: showing) }, { showing, _ in envelopes(of: showing) },
        { showing, _ in serialisations(of: showing) }, { showing, _ in digits(of: showing) },
        { showing, _ in orders(of: showing) }, contexts, members, { showing, _ in removals(of: showing) }, nestings,
    ]

    /// Returns all disguises of a showing.
    static func all(of showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        families.flatMap { $0(showing, kit) }
    }

    /// Changes the label that a wallet may give the credential.
    private static func labels(of showing: Showing) -> [Disguise] {
        ([nil] + CredentialFormat.allCases).map { label in
            Disguise("label \(label?.rawValue ?? "none")") { Showing(showing.body, label: label) }
        }
    }

    /// Adds characters before and after the payload.
    private static func affixes(of showing: Showing) -> [Disguise] {
        let ends = [
            "~", "~~", "~~~", "~.", ".~", " ~", "\n~", "%7E", ".", "..", ".AA", " ", "\n", "\r\n\t", "\0", "\u{FEFF}",
            "=",
            "==", ",", "A", "{}", "null", "~{}", "~e30~", "~~e30",
        ]
        let starts = [
            " ", "\r\n\t", "\u{FEFF}", "\0", "~", ".", "=", "{}", "e30.", "data:,", "data:application/dc+sd-jwt,",
        ]
        return ends.map { end in
            Disguise("ends with \(end.debugDescription)") { showing.with(showing.payload + Array(end.utf8)) }
        }
            + starts.map { start in
                Disguise("begins with \(start.debugDescription)") {
                    showing.with(Array(start.utf8) + showing.payload)
                }
            }
    }
}

/// The data that a holder can use to disguise a credential: the holder's keys, the issuer's public data, and the pinned
/// contexts.
struct DisguiseKit: Sendable {
    /// The pinned contexts.
    let contexts: [Text]
    /// A did:key holder that signs linked data.
    let text: GraphSigner
    let graph: GraphSigner
    /// A did:key holder that signs tokens.
    let tokens: TokenForge
    /// The gate's request for a holder proof, and its time.
    let demand: HolderDemand
    let clock: WallTime
    /// Another credential that the gate accepts.
    var other: JSON?

    /// - Parameter contexts: The pinned context documents.
    init(
        _ contexts: [Text: JSON], demand: HolderDemand = HolderDemand(), at clock: WallTime, other: JSON? = nil
    ) throws {
        self.contexts = contexts.keys.sorted()
        text = try GraphSigner(.eddsaJCS2022, seed: 61, contexts: contexts)
        graph = try GraphSigner(.eddsaRDFC2022, seed: 61, contexts: contexts)
        tokens = try TokenForge(seed: 62)
        self.demand = demand
        self.clock = clock
        self.other = other
    }

    /// The time of the holder's signature, five seconds ago.
    var signed: Timestamp { clock.utc.advanced(by: .seconds(-5)) }
}
