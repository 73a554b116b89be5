import Crypto
import Encoding

/// The witness file: two slots of one size that are written in turn, so that a write which the power interrupts spoils the older
/// statement's place and never the newest whole one.
///
/// A slot: `GATEHEAD`, the length of the statement (4 bytes, most significant first), ``SignedHead/bytes``, the SHA-256 hash of all
/// that, zeros up to ``slotBytes``.
package enum WitnessSlots {
    /// A slot's length in bytes: a block of the disk, so that writing one does not touch the other.
    package static let slotBytes = 4096
    /// The file's length in bytes.
    package static let fileBytes = 2 * slotBytes
    private static let magic = Array("GATEHEAD".utf8)

    /// Where a statement goes, and the bytes of its slot; nil when it does not fit.
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

    /// What a file holds. `key`: the public key that counts; nil: whichever signed.
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
                isForeign ? "it was signed with another key" : isTorn ? "neither statement is whole" : "it is empty")
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

/// What was found in the place of the witness.
package enum WitnessReading: Hashable, Sendable {
    /// There is no file.
    case absent
    /// A file that holds no statement that counts; why, in words.
    case unusable(String)
    /// The newest whole statement. Torn: the other slot holds something else than a statement, as after a power cut.
    case read(SignedHead, isTorn: Bool)

    /// The newest whole statement.
    package var head: HeadStatement? { if case .read(let signed, _) = self { signed.head } else { nil } }
}
