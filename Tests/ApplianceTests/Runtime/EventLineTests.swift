import Kiosk
import Testing

@testable import Appliance

/// What a person at the terminal reads.
@Suite struct EventLineTests {
    /// A transfer that takes its time says so at each quarter, whatever number of chunks there is.
    @Test(arguments: [3, 4, 7, 100, 941]) func aLongTransferShowsHowFarItIs(total: Int) {
        let shown = (1...total).compactMap { received in
            EventLine.text(.progress(received: received, total: total, bytesPerSecond: 33_700), of: nil)
        }
        #expect(shown.count == min(3, total - 1) && shown.allSatisfy { $0.hasSuffix(" %, 33 kB/s") }, "\(shown)")
    }
}
