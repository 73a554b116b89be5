import Encoding

@testable import Credentials

/// A way of showing the same signed thing that needs no key of its issuer: another label, wrapper, suffix, envelope,
/// serialisation, order, spelling of a number, nesting, or something that nobody signed in a place next to it.
struct Disguise: Sendable {
    let name: String
    /// Whether it leaves away or replaces what the presenter signed, so that what was wrong with that is no longer there.
    var replacesPresenter = false
    /// Whether it takes something away, so that what nobody signed and was no good may be gone.
    var takesAway = false

    /// What else it shows.
    enum Company: Sendable {
        case none
        /// Another credential that the gate accepts, of which only one is looked at.
        case record
        /// The same next to it in a presentation, of which all are.
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

    /// The families of disguises, each with all that it makes of a showing, in an order that is always the same.
    static let families: [@Sendable (Showing, DisguiseKit) -> [Disguise]] = [
        { showing, _ in labels(of: showing) }, { showing, _ in affixes(of: showing) }, tokens,
        { showing, _ in binary(of: showing) }, { showing, _ in envelopes(of: showing) },
        { showing, _ in serialisations(of: showing) }, { showing, _ in digits(of: showing) },
        { showing, _ in orders(of: showing) }, contexts, members, { showing, _ in removals(of: showing) }, nestings,
    ]

    /// All that can be made of a showing.
    static func all(of showing: Showing, _ kit: DisguiseKit) -> [Disguise] {
        families.flatMap { $0(showing, kit) }
    }

    /// What a wallet may call it.
    private static func labels(of showing: Showing) -> [Disguise] {
        ([nil] + CredentialFormat.allCases).map { label in
            Disguise("label \(label?.rawValue ?? "none")") { Showing(showing.body, label: label) }
        }
    }

    /// Letters in front of the payload and behind it.
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

/// What a holder has at hand who disguises something: keys of his own, public things of the issuer's, pinned contexts.
struct DisguiseKit: Sendable {
    /// The pinned contexts.
    let contexts: [Text]
    /// A did:key holder who signs linked data.
    let text: GraphSigner
    let graph: GraphSigner
    /// The same who signs tokens.
    let tokens: TokenForge
    /// What the gate asked, and when.
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

    /// When the holder signs: a moment ago.
    var signed: Timestamp { clock.utc.advanced(by: .seconds(-5)) }
}
