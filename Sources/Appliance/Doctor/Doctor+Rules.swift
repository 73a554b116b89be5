import Credentials
import Encoding
import Kiosk

extension Doctor {
    /// Whom the gate believes and whom it lets in.
    var rules: [Finding] { trust + policy + sticker }

    private var trust: [Finding] {
        switch facts.trust {
        case nil: return [.unknown(.trust, "you may not look at the trust data", "Run it with sudo.")]
        case .unusable(let why): return [Finding(.trust, .trustUnusable, why)]
        case .usable(let version, let issuers, let lack, let bundle, let findings):
            var wrong = endings.filter { $0.check == .trust }
            if let bundle { wrong.append(Finding(.trust, .trustBundle, bundle)) }
            // What keeps everybody out is told as the service tells it, and then what is missing of whom goes without saying.
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
        case .unseen: return [.unknown(.policy, "you may not look at the rules", "Run it with sudo.")]
        case .unread:
            return [
                .unknown(.policy, "the rules come with the trust data, which cannot be used", "Mend the trust data.")
            ]
        case .unusable(let why):
            // Whether there is a good copy the service knows; on a new gate there is none.
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

    private var sticker: [Finding] {
        guard configuration.sticker.key != nil else { return [] }
        guard let trouble = facts.sticker else {
            let ends = endings.filter { $0.check == .sticker }
            return ends.isEmpty ? [.good(.sticker, "in force")] : ends
        }
        return [Finding(.sticker, trouble.code, trouble.detail, remedy: trouble.remedy, state: .warning)]
    }

    /// What ends soon or has ended, as the service warns of it. A date that is not trusted warns of nothing.
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
            // By rules that have ended nobody is let in.
            let isShut = warning.step == .ended && warning.expiry.kind == .policy
            return Finding(check, isShut ? .policyExpired : warning.code, warning.words)
        }
    }

    /// `1 issuer`, `3 issuers`.
    static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }
}
