import CLinuxShims

/// The adapter that an operator has configured.
package enum AdapterName: Hashable, Sendable {
    /// The adapter is named by the kernel's number, e.g. `hci0`.
    case number(UInt16)
    /// The adapter is named by its own address, e.g. `F0:F1:F2:F3:F4:01`: six bytes as written. An address
    /// does not depend on the order in which adapters are found.
    case address([UInt8])

    /// Parses either form of a name; nil for any other text.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        if bytes.starts(with: Array("hci".utf8)) {
            let digits = bytes.dropFirst(3)
            guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(String(decoding: digits, as: UTF8.self))
            else { return nil }
            self = .number(number)
        } else {
            let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            let address = parts.compactMap { part -> UInt8? in
                let digits = part.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
                return part.count == 2 && digits.count == 2 ? UInt8(digits[0] << 4 | digits[1]) : nil
            }
            guard parts.count == 6, address.count == 6 else { return nil }
            self = .address(address)
        }
    }

    /// Returns the kernel's number of the adapter; throws the kernel's error when no adapter has this
    /// address.
    func number() throws(ChannelRefusal) -> UInt16 {
        switch self {
        case .number(let number): return number
        case .address(let address):
            let number = clinux_hci_number(address)
            guard number >= 0 else { throw ChannelRefusal(step: .finding, code: -number) }
            return UInt16(clamping: number)
        }
    }
}
