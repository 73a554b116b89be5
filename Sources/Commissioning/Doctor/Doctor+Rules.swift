import Encoding
import Kiosk
import Reasons
import Settings
import TrustFiles

extension Doctor {
    /// The findings about the trust data and the policy.
    var rules: [Finding] { trust + policy }

    private var trust: [Finding] {
        switch facts.trust {
        case nil: return [.unknown(.trust, "you may not read the trust data", "Run it with sudo.")]
        case .unusable(let why): return [Finding(.trust, .trustUnusable, why)]
        case .usable(let version, let issuers, let lack, let bundle, let findings):
            var wrong = endings.filter { $0.check == .trust }
            if let bundle { wrong.append(Finding(.trust, .trustBundle, bundle)) }
            // If the trust data admit no visitor, report only the reason, as the service does: details about single
            // issuers would not help.
            if let lack {
                wrong.append(Finding(.trust, .trustUnusable, lack))
            } else {
                wrong += findings.map { Finding(.trust, .boxTrust, $0) }
            }
            return wrong.isEmpty ? [.good(.trust, "\(version), \(Self.count(issuers, "issuer"))")] : wrong
        }
    }

    private var policy: [Finding] {
        switch facts.policy {
        case nil: return [.good(.policy, RuleSource.none.words)]
        case .unseen: return [.unknown(.policy, "you may not read the rules", "Run it with sudo.")]
        case .unread:
            return [
                .unknown(
                    .policy, "the rules are part of the trust data, which cannot be used",
                    "Correct the trust "
                        + "data.")
            ]
        case .unusable(let why):
            // Assume the worst case, that the service has no earlier copy of valid rules. Only the service knows
            // whether it has one.
            return [Finding(.policy, .policyFile, why, state: .bad)]
        case .usable(let name, let origin, let tests, let failed, let unknownGroups):
            var wrong = endings.filter { $0.check == .policy }
            if !failed.isEmpty {
                wrong.append(
                    Finding(
                        .policy, .boxPolicyTests,
                        "\(failed.count) of \(Self.count(tests, "test")) failed: \(failed.joined(separator: ", "))"))
            }
            wrong += unknownGroups.map { Finding(.policy, .boxPolicyGroups, $0) }
            return wrong.isEmpty ? [.good(.policy, "\(name), \(origin), \(Self.count(tests, "test"))")] : wrong
        }
    }

    /// The warnings about data that expires soon or has expired, the same as those of the service; empty if the date is
    /// not trusted.
    var endings: [Finding] {
        guard isDated else { return [] }
        var calendar = ExpiryCalendar()
        _ = calendar.look(facts.expiries, at: facts.clock.utc)
        return calendar.warnings.map { warning in
            let check: Finding.Check =
                switch warning.expiry.kind {
                case .bundle, .issuer, .document, .key, .root, .statusList: .trust
                case .policy: .policy
                case .sticker: .sticker
                case .serverRoot: .agent
                }
            // An expired policy admits no visitor.
            let isShut = warning.step == .ended && warning.expiry.kind == .policy
            return Finding(check, isShut ? .policyExpired : warning.code, warning.words)
        }
    }

    /// Returns a number with its noun: `1 issuer`, `3 issuers`.
    static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}
