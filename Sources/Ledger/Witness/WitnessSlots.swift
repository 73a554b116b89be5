import Crypto
import Encoding

/// The format of the witness file: two slots of equal size, written in turn. A write that a power cut interrupts
/// therefore damages only the slot of the older statement.
///
/// A slot contains `GATEHEAD`, the length of the statement (4 bytes, most significant first), ``SignedHead/bytes``, the
/// SHA-256 hash of all these bytes, and zeros up to ``slotBytes``.
package enum WitnessSlots {
    /// The length of a slot in bytes: one disk block, so that writing a slot does not change the block of the other
    /// slot.
    package static let slotBytes = 4096
    /// The file's length in bytes.
    package static let fileBytes = 2 * slotBytes
    private static let magic = Array("GATEHEAD".utf8)

    /// Returns the offset of the slot for a statement, and the bytes of the slot; nil if the statement does not fit.
    package static func slot(_ signed: SignedHead) -> (offset: Int, bytes: [UInt8])? {
        let statement = signed.bytes
        var bytes = magic
        bytes.appendBE(UInt32(clamping: statement.count))
        bytes += statement
        bytes += Array(SHA256.hash(data: bytes))
        guard bytes.count <= slotBytes else { return nil }
        bytes += [UInt8](repeating: 0, count: slotBytes - bytes.count)
        return (signed.head.number & 1 == 0 ? 0 : slotBytes, bytes)
    }

    /// Reads a witness file. `key`: the public key whose statements count; nil for any key.
    package static func read(_ file: [UInt8], key: [UInt8]?) -> WitnessReading {
        var (whole, isTorn, isForeign): ([SignedHead], Bool, Bool) = ([], file.count != fileBytes, false)
        for start in [0, slotBytes] {
            let slot = Array(file.dropFirst(start).prefix(slotBytes))
            if slot.allSatisfy({ $0 == 0 }) { continue }
            guard let signed = statement(in: slot), slot == Self.slot(signed)?.bytes else {
                isTorn = true
                continue
            }
            if let key, signed.key != key { isForeign = true } else { whole.append(signed) }
        }
        guard let newest = whole.max(by: { $0.head.number < $1.head.number }) else {
            return .unusable(
                isForeign ? "it was signed with another key" : isTorn ? "neither statement is complete" : "it is empty")
        }
        return .read(newest, isTorn: isTorn || isForeign)
    }

    private static func statement(in slot: [UInt8]) -> SignedHead? {
        var reader = ByteReader(slot)
        guard let start = try? reader.take(magic.count), Array(start) == magic, let length = try? reader.uint32BE(),
            let statement = try? reader.take(Int(length))
        else { return nil }
        return try? SignedHead(bytes: Array(statement))
    }
}

/// The result of reading the witness file.
package enum WitnessReading: Hashable, Sendable {
    /// The file does not exist.
    case absent
    /// The file holds no valid statement; the text is the reason.
    case unusable(String)
    /// The newest complete statement in the file. `isTorn`: the other slot is damaged, as after a power cut, or has a
    /// statement of another key, or the file has another length. A slot of zeros is not damaged.
    case read(SignedHead, isTorn: Bool)

    /// The newest complete statement; nil if there is none.
    package var head: HeadStatement? { if case .read(let signed, _) = self { signed.head } else { nil } }
}
