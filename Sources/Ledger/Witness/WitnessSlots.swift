import Crypto
import Encoding

/// The format of the witness file: two slots of equal size, written alternately. A write that a power cut interrupts
/// therefore damages only the slot of the older statement.
///
/// A slot contains `GATEHEAD`, the length of the statement (4 bytes, big-endian), the statement (``SignedHead/bytes``),
/// the SHA-256 hash of all these bytes, and zeros up to ``slotBytes``.
package enum WitnessSlots {
    /// The size of a slot in bytes: one disk block, so that writing one slot does not touch the block of the other.
    package static let slotBytes = 4096
    /// The size of the file, in bytes.
    package static let fileBytes = 2 * slotBytes
    private static let magic = Array("GATEHEAD".utf8)

    /// Returns the slot for a statement: its offset in the file and its bytes. Nil if the statement is too long for a
    /// slot.
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

    /// Reads a witness file. `key`: the only public key whose statements are accepted; nil to accept any key.
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
    /// The file contains no complete statement of the expected key. The text is the reason.
    case unusable(String)
    /// The newest complete statement in the file. `isTorn`: whether the other slot is damaged, as after a power cut, or
    /// has a statement of another key, or the file has another size. A slot of zeros is not damaged.
    case read(SignedHead, isTorn: Bool)

    /// The newest complete statement; nil if there is none.
    package var head: HeadStatement? { if case .read(let signed, _) = self { signed.head } else { nil } }
}
