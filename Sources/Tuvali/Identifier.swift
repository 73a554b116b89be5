/// The name a verifier shows in its advertisement and invitation.
package struct Identifier: Hashable, Sendable {
    /// The reason why a text cannot be an identifier.
    package enum Failure: Error, Hashable, Sendable {
        /// The Android wallet refuses an invitation without a name.
        case empty
        /// The name has `bytes` UTF-8 bytes, more than 14. The advertisement has 31 bytes, and other data needs 17 of
        /// them.
        case tooLong(bytes: Int)
        /// The name has a character outside `A-Z a-z 0-9 _ -`. Wallets read other characters in a URI differently.
        case characters
    }

    /// The permitted characters.
    package enum Alphabet: Sendable {
        /// The characters `A-Z a-z 0-9 _ -`, which all wallets read in the same way. Names that people configure use
        /// this alphabet.
        case portable
        /// Any characters. The invitation percent-encodes them.
        case any
    }

    /// The maximum length of a name in UTF-8 bytes: 31 − flags (3) − service UUIDs (4) − service data header (4) − `_`
    /// (1) − key (5).
    package static let maximumLength = 14

    /// The UTF-8 bytes of the name, 1…14.
    package let bytes: [UInt8]

    /// Checks a name, and throws the first failure found.
    package init(_ text: String, alphabet: Alphabet = .portable) throws(Failure) {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= Self.maximumLength else { throw .tooLong(bytes: bytes.count) }
        guard alphabet == .any || bytes.allSatisfy(Self.isPortable) else { throw .characters }
        self.bytes = bytes
    }

    private static func isPortable(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
