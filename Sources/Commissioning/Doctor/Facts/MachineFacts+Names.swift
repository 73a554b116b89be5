import Encoding
import Kiosk

extension MachineFacts {
    /// The texts among the facts that people chose as names: of certificates, documents and issuers that
    /// expire, and of tests and groups of the rules. Names that this program makes, such as that of a bundle,
    /// are not in the list.
    package var names: [String] {
        let ends = expiries.filter { ![.bundle, .policy].contains($0.kind) }.map(\.name.string)
        guard case .usable(_, _, _, let failed, let unknownGroups) = policy else { return ends }
        return ends + failed + unknownGroups
    }

    /// The name of the rules, `id@version sha256:…`; nil if it is not known.
    package var policyName: String? {
        if case .usable(let name, _, _, _, _) = policy { name } else { nil }
    }
}
