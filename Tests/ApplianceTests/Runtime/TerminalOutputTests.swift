import Appliance
import Credentials
import Encoding
import Kiosk
import Synchronization
import Testing

/// The lines that a person at the terminal reads.
@Suite struct TerminalOutputTests {
    @Test func eachLineSaysWhoseItIs() {
        let lines = Mutex<[String]>([])
        let output = TerminalOutput { line in lines.withLock { $0.append(line) } }
        let (one, other) = (
            VisitID("3f2a7b1c-0000-4000-8000-000000000000"), VisitID("91c0d2e4-0000-4000-8000-000000000000")
        )
        output.note(.phoneConnected, of: one, at: .zero)
        output.note(.phoneConnected, of: other, at: .zero)
        let accepted = KioskNote.decided(
            accepted: true, reasons: [ReasonCode.ok.text], sinceT0: .zero, waited: .zero)
        output.note(accepted, of: one, at: .zero)
        output.note(.phonesLimited(to: 2), of: nil, at: .zero)
        #expect(
            lines.withLock { $0 } == [
                "● ○ ○ ○  3f2a  a phone is connected", "● ○ ○ ○  91c0  a phone is connected", "○ ○ ● ○  3f2a  ACCEPTED",
                "○ ● ○ ○  this adapter serves 2 at once",
            ])
    }
}
