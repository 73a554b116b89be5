/// The message that a card reader sends to a gate controller over Wiegand's two wires: a facility code and a
/// card number between two parity bits.
///
/// The operator configures the number for this kiosk. It means "one person, admitted by this gate", and the
/// controller applies its own rules for that card. It does not depend on the visitor and is neither a claim
/// nor the digest of a claim: controllers store the numbers that they receive for years, and one person's
/// number at two gates would make that person traceable.
package struct WiegandFrame: Hashable, Sendable {
    /// The open formats, by the names that makers of controllers use.
    package enum Format: String, CaseIterable, Sendable {
        /// 26 bits: facility of 8, card of 16.
        case h10301 = "H10301"
        /// 34 bits: facility of 16, card of 16.
        case h10306 = "H10306"
        /// 37 bits: facility of 16, card of 19.
        case h10304 = "H10304"
        /// 37 bits: card of 35, no facility.
        case h10302 = "H10302"

        /// Widths of facility and card in bits.
        package var widths: (facility: Int, card: Int) {
            switch self {
            case .h10301: (8, 16)
            case .h10306: (16, 16)
            case .h10304: (16, 19)
            case .h10302: (0, 35)
            }
        }
    }

    /// The bits in the order of the wire; a 0 is a pulse on the wire data 0, a 1 on data 1.
    package let bits: [Bool]

    /// Creates a frame; nil if the facility code or the card number does not fit its field.
    ///
    /// The first bit makes the number of ones in itself and the first half even; the last bit makes the
    /// number of ones in itself and the last half odd. If the number of data bits is odd, both halves contain
    /// the middle one.
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
