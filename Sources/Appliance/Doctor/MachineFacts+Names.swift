import Encoding
import Kiosk

extension MachineFacts {
    /// Texts among the facts that somebody wrote as a name: of certificates, documents and issuers that end some day, and of tests and
    /// groups of the rules. What has a name of this program's making, such as a bundle, is left out.
    package var names: [String] {
        let ends = expiries.filter { ![.bundle, .policy].contains($0.kind) }.map(\.name.string)
        guard case .usable(_, _, _, let failed, let unknownGroups) = policy else { return ends }
        return ends + failed + unknownGroups
    }

    /// What the rules call themselves, `id@version sha256:…`; nil where that is not known.
    package var policyName: String? {
        if case .usable(let name, _, _, _, _) = policy { name } else { nil }
    }
}
