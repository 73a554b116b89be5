package import Kiosk

/// `[rhythms]`: how the lamps blink for each indicator pattern.
package struct RhythmsSection: Hashable, Sendable {
    /// The rhythm of each indicator pattern.
    package var lamps = LampRhythms()

    init(_ reader: inout ConfigurationReader) {
        for sign in LampRhythms.signs {
            lamps[sign] = reader.choice("rhythms.\(sign.rawValue)", default: lamps[sign])
        }
        for sign in LampRhythms.signs {
            guard let other = lamps.indistinguishable(of: sign) else { continue }
            // If the file contains only one of the two keys, report the problem for this key.
            let names = [sign, other].map(\.rawValue)
            let isOther = !reader.has("rhythms.\(names[0])") && reader.has("rhythms.\(names[1])")
            let (wrong, right) = isOther ? (names[1], names[0]) : (names[0], names[1])
            reader.reject(
                "rhythms.\(wrong)", "is indistinguishable from \(right) for colour-blind visitors",
                "Give them different rhythms: \(LampRhythm.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
    }
}
