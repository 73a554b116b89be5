import Encoding
import Kiosk

extension MachineFacts {
    /// The names in the facts that people have chosen: of certificates, documents and issuers that expire, and of tests
    /// and groups of the policy. A redacted report omits these names. Names that this program makes, such as that of a
    /// bundle, are not included.
    package var names: [String] {
        let ends = expiries.filter { ![.bundle, .policy].contains($0.kind) }.map(\.name.string)
        guard case .usable(_, _, _, let failed, let unknownGroups) = policy else { return ends }
        return ends + failed + unknownGroups
    }

    /// The name of the policy, `id@version sha256:…`; nil if no policy could be read.
    package var policyName: String? {
        if case .usable(let name, _, _, _, _) = policy { name } else { nil }
    }
}
