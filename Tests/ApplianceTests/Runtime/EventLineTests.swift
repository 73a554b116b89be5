import Features
import Kiosk
import Testing

/// The lines for a person at the terminal.
@Suite struct EventLineTests {
    /// A long transfer is reported at each quarter, whatever the number of chunks.
    @Test(arguments: [3, 4, 7, 100, 941]) func aLongTransferShowsHowFarItIs(total: Int) {
        let shown = (1...total).compactMap { received in
            EventLine.text(.progress(received: received, total: total, bytesPerSecond: 33_700), of: nil)
        }
        #expect(shown.count == min(3, total - 1) && shown.allSatisfy { $0.hasSuffix(" %, 33 kB/s") }, "\(shown)")
    }
}
