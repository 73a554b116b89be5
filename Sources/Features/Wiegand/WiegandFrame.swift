/// The message that a card reader sends to a gate controller over Wiegand's two wires: a facility code and a card
/// number between two parity bits.
///
/// The operator configures one number for this gate. The number means "one person, admitted by this gate", and the
/// controller applies its rules for that card. The number does not depend on the visitor, and is neither a claim nor
/// a hash of a claim. Controllers store received numbers for years, and a person's own number at two gates would make
/// that person traceable.
package struct WiegandFrame: Hashable, Sendable {
    /// The public formats of frames, by the names that makers of controllers use.
    package enum Format: String, CaseIterable, Sendable {
        /// 26 bits: a facility code of 8 bits and a card number of 16 bits.
        case h10301 = "H10301"
        /// 34 bits: a facility code of 16 bits and a card number of 16 bits.
        case h10306 = "H10306"
        /// 37 bits: a facility code of 16 bits and a card number of 19 bits.
        case h10304 = "H10304"
        /// 37 bits: a card number of 35 bits, and no facility code.
        case h10302 = "H10302"

        /// The widths of the facility code and of the card number in bits.
        package var widths: (facility: Int, card: Int) {
            switch self {
            case .h10301: (8, 16)
            case .h10306: (16, 16)
            case .h10304: (16, 19)
            case .h10302: (0, 35)
            }
        }
    }

    /// The bits in the order of their transmission. False is a pulse on the wire data 0, true a pulse on data 1.
    package let bits: [Bool]

    /// Creates a frame. Returns nil if the facility code or the card number does not fit into its field.
    ///
    /// The first bit is an even parity bit: together with the first half of the data bits it contains an even number
    /// of ones. The last bit is an odd parity bit for the second half. If the number of data bits is odd, the middle
    /// bit belongs to both halves.
    package init?(_ format: Format, facility: UInt64, card: UInt64) {
        let widths = format.widths
        guard facility >> UInt64(widths.facility) == 0, card >> UInt64(widths.card) == 0 else { return nil }
        let data = Self.field(facility, widths.facility) + Self.field(card, widths.card)
        let half = (data.count + 1) / 2
        let isFirstOdd = data.prefix(half).count(where: \.self) % 2 == 1
        let isLastOdd = data.suffix(half).count(where: \.self) % 2 == 1
        bits = [isFirstOdd] + data + [!isLastOdd]
    }

    private static func field(_ number: UInt64, _ width: Int) -> [Bool] {
        (0..<width).reversed().map { number >> UInt64($0) & 1 == 1 }
    }
}
