import Settings

/// The rules that `gatehouse setup` adds to trust data without rules: `deploy/policy-start.toml`.
package enum StartRules {
    /// The text that informs the operator about the initial rules.
    package static let words =
        "rules: policy.toml in the trust directory; the same credential again within 30 s is refused"

    /// Returns the files to add to a trust directory without rules, with their contents; an empty list if the
    /// directory has rules.
    package static func files(missingIn directory: String) -> [(path: String, bytes: [UInt8])] {
        let folder = TrustFolder(name: directory)
        if folder.exists(TrustDirectory.policyFile) { return [] }
        let issuers =
            folder.exists(TrustSection.issuersFile) ? [] : [(path: TrustSection.issuersFile, bytes: TrustPin.beginning)]
        return issuers + [(path: TrustDirectory.policyFile, bytes: bytes)]
    }

    /// The content of the file with the initial rules.
    static let bytes = Array(
        #"""
        # Initial rules: gatehouse setup puts this file into the trust directory (/etc/gatehouse/trust/policy.toml). It
        # is in force there unless gatehouse.toml names another one:
        #
        #   [policy]
        #   file = "policy.toml"
        #
        # All keys: /usr/share/gatehouse/policy.toml, and docs/policy.md. Check it with:
        #
        #   gatehouse policy check /etc/gatehouse/trust/policy.toml

        id = "start"
        version = "1"

        # The same credential is not admitted twice within this time.
        [replay]
        window = "30s"
        action = "reject"

        # A valid credential of a type that the entry of its issuer names. A rule can name types too, and ask for more:
        # types = ["https://works.example/ns#StaffPass"]
        [[accept]]
        id = "start"

        """#.utf8)
}
