import Administration
import Kiosk
import LinuxIO
import Reasons

/// The present faults of the outputs, for each group of outputs (``OutputRole/groups``). If several groups have the
/// same fault, it ends when all of them work again.
struct GateFaults: Sendable {
    private var faults: [[OutputRole]: (codes: [ReasonCode], detail: String)] = [:]

    /// Notes the state of the group `group`: its failure, or nil if it works. Returns the reports of the faults that
    /// have begun, changed or ended.
    mutating func changed(_ group: [OutputRole], _ trouble: LineThread.Trouble?) -> [HealthReport] {
        let before = faults[group]?.codes ?? []
        let fault = trouble.map { (codes: Self.codes(of: group, $0), detail: $0.error.detail) }
        faults[group] = fault
        let present = fault.map { fault in fault.codes.map { HealthReport.present($0, detail: fault.detail) } } ?? []
        return before.filter { fault?.codes.contains($0) != true }.map { code in
            let other = OutputRole.groups.compactMap { faults[$0] }.first { $0.codes.contains(code) }
            return other.map { .present(code, detail: $0.detail) } ?? .over(code)
        } + present
    }

    /// Returns the codes of a failure of a group, the most severe first.
    private static func codes(of group: [OutputRole], _ trouble: LineThread.Trouble) -> [ReasonCode] {
        // A relay that cannot be released is a worse fault than one that cannot be energised.
        let code = trouble.isStuck ? group.first?.stuck : nil
        // A lasting failure of the outputs that admit visitors makes the gate unavailable. A failure of the other
        // outputs does not.
        let isNeeded = group.contains(where: \.admits)
        return [code ?? .gpioFailed] + (isNeeded && trouble.isLasting ? [.gateUnavailable] : [])
    }
}
