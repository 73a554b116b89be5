import GateService
import Kiosk
import LinuxIO
import Reasons

/// Sends the configured frame to a gate controller for each visitor.
struct WiegandLines: ControllerLines {
    private let frame: WiegandFrame
    private let timing: WiegandTiming
    private let report: HealthReporter

    /// Creates the wires of the section `[wiegand]`. Returns nil if the section names none. `report` receives the
    /// fault that the last frame was not sent, or not with the times that controllers need, and its end.
    init?(_ section: WiegandSection, report: @escaping HealthReporter) {
        guard section.wires != nil, let frame = section.frame else { return nil }
        (self.frame, timing, self.report) = (frame, section.timing, report)
    }

    func output(
        on bank: sending any LineBank, wires: (String, String), marks: OpeningMarks?,
        failed: @escaping @Sendable (LineThread.Trouble?) -> Void
    ) throws(SystemError) -> any ControllerOutput {
        try WiegandOutput(
            bank, wires: wires, bits: frame.bits, timing: timing, sending: { marks?.tries($0) },
            sent: { [report] sent, begun in
                marks?.frame(isSent: sent != .lost, begun: begun)
                switch sent {
                case .whole: report(.over(.wiegandUnsure))
                case .slow(let pulse, let gap):
                    report(.present(.wiegandUnsure, detail: "a pulse of \(pulse), a gap of \(gap)"))
                case .unsure: report(.present(.wiegandUnsure, detail: "a wire failed at the last bit of a frame"))
                case .lost: report(.present(.wiegandUnsure, detail: "a frame was not sent completely"))
                }
            }, failed: failed)
    }
}

extension WiegandOutput: ControllerOutput {}
