import Credentials
import Encoding
import Kiosk
import Synchronization

/// What is wrong with the destinations, as faults of the box: one that any destination has is in force.
final class AgentHealth: Sendable {
    private let report: HealthReporter
    /// By fault and destination: what there is to say.
    private let found = Mutex<[ReasonCode: [Text: String]]>([:])

    init(report: @escaping HealthReporter) { self.report = report }

    /// The faults of a destination.
    func faults(of name: Text) -> [ReasonCode] {
        found.withLock { found in Health.codes.filter { found[$0]?[name] != nil } }
    }

    /// Takes what happened on a connection.
    func take(_ notice: AgentNotice, of name: Text) {
        switch notice {
        case .connected, .tookOver:
            for code in [ReasonCode.agentUnconnected, .agentEnded, .agentUnreadable, .agentSilent] { clear(code, name) }
        case .alive: for code in [ReasonCode.agentSilent, .agentUnreachable] { clear(code, name) }
        case .reachable: clear(.agentUnreachable, name)
        case .unreachable: set(.agentUnreachable, name, notice.text)
        case .handshakeRefused: set(.agentUnconnected, name, notice.text)
        case .silent: set(.agentSilent, name, notice.text)
        case .refused: set(.reportsRefused, name, notice.text)
        case .ended: set(.agentEnded, name, notice.text)
        case .confirmed: clear(.reportsRefused, name)
        case .retired, .acknowledged, .message, .problem, .discarded, .storeFailed: break
        }
    }

    /// Takes what happened beside the connections. Returns whether it is news.
    func take(_ notice: DestinationNotice, of name: Text) -> Bool {
        switch notice {
        case .unreadable: set(.agentUnreadable, name, notice.text)
        case .ended: set(.agentEnded, name, notice.text)
        case .invitationFailed, .usedBefore: set(.agentUnconnected, name, notice.text)
        // A more telling word stands already, if there was one.
        case .unconnected: faults(of: name).isEmpty && set(.agentUnconnected, name, notice.text)
        case .storeFailed: true
        case .invitationRead: clear(.agentUnconnected, name)
        }
    }

    @discardableResult
    private func set(_ code: ReasonCode, _ name: Text, _ text: String) -> Bool {
        let isNews = found.withLock { found in
            found[code, default: [:]].updateValue(text, forKey: name) != text
        }
        if isNews { report(.present(code, detail: "\(name): \(text)")) }
        return isNews
    }

    @discardableResult
    private func clear(_ code: ReasonCode, _ name: Text) -> Bool {
        let (wasThere, other) = found.withLock { found in
            let wasThere = found[code]?.removeValue(forKey: name) != nil
            return (wasThere, found[code]?.first)
        }
        guard wasThere else { return false }
        report(other.map { .present(code, detail: "\($0.key): \($0.value)") } ?? .over(code))
        return true
    }
}
