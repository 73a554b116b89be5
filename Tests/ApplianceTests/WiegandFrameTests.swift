import Features
import Testing

/// Frames for access controllers, bit by bit.
@Suite struct WiegandFrameTests {
    private func text(_ format: WiegandFrame.Format, _ facility: UInt64, _ card: UInt64) -> String? {
        WiegandFrame(format, facility: facility, card: card)?.bits.map { $0 ? "1" : "0" }.joined()
    }

    /// Frames from other implementations: the npm package wiegand-encoder (README), and Proxmark's client,
    /// whose `wiegand decode` reads the low 26 bits of 2006f623ae as facility 123, card 4567, and those of
    /// 2006ec0c86 as facility 118, card 1603.
    @Test(
        arguments: [
            (90, 324, "00101101000000001010001000"), (123, 4567, "10111101100010001110101110"),
            (118, 1603, "10111011000000110010000110"), (0, 0, "00000000000000000000000001"),
            (255, 65535, "01111111111111111111111111"),
        ] as [(UInt64, UInt64, String)])
    func h10301(_ facility: UInt64, _ card: UInt64, _ wanted: String) {
        #expect(text(.h10301, facility, card) == wanted)
    }

    /// Computed by hand from the published layouts: P, facility, card, P.
    @Test func longerFormats() {
        #expect(text(.h10306, 1, 1) == "1" + "0000000000000001" + "0000000000000001" + "0")
        #expect(text(.h10306, 0xFFFF, 0x8001) == "0" + "1111111111111111" + "1000000000000001" + "1")
        // There are 35 bits between the parity bits, so the eighteenth belongs to both halves.
        #expect(text(.h10304, 0, 0x20000) == "1" + "0000000000000000" + "0100000000000000000" + "0")
        #expect(text(.h10304, 1, 0x10000) == "1" + "0000000000000001" + "0010000000000000000" + "0")
        #expect(text(.h10302, 0, 1) == "0" + String(repeating: "0", count: 34) + "1" + "0")
        #expect(text(.h10302, 0, 1 << 34) == "1" + "1" + String(repeating: "0", count: 34) + "1")
    }

    @Test func parityHoldsForEveryBit() throws {
        for format in WiegandFrame.Format.allCases {
            let (facility, card) = format.widths
            for bit in 0..<(facility + card) {
                let number: UInt64 = 1 << UInt64(bit)
                let frame = try #require(
                    bit < card
                        ? WiegandFrame(format, facility: 0, card: number)
                        : WiegandFrame(format, facility: number >> UInt64(card), card: 0))
                #expect(frame.bits.count == facility + card + 2)
                #expect(frame.bits[frame.bits.count - 2 - bit])
                let half = (facility + card + 1) / 2 + 1
                #expect(frame.bits.prefix(half).count(where: \.self) % 2 == 0)
                #expect(frame.bits.suffix(half).count(where: \.self) % 2 == 1)
            }
        }
    }

    @Test func numbersOutOfRangeHaveNoFrame() {
        #expect(WiegandFrame(.h10301, facility: 256, card: 0) == nil)
        #expect(WiegandFrame(.h10301, facility: 0, card: 65536) == nil)
        #expect(WiegandFrame(.h10304, facility: 0, card: 1 << 19) == nil)
        #expect(WiegandFrame(.h10302, facility: 1, card: 0) == nil)
        #expect(WiegandFrame(.h10302, facility: 0, card: .max) == nil)
    }
}
