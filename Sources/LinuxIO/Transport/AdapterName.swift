import CLinuxShims

/// The name by which the operator has configured the adapter.
package enum AdapterName: Hashable, Sendable {
    /// The kernel's number of the adapter: 0 for `hci0`.
    case number(UInt16)
    /// The adapter's own address, six bytes in the order in which they are written, for example `F0:F1:F2:F3:F4:01`.
    /// Unlike the number, it does not depend on the order in which the kernel finds adapters.
    case address([UInt8])

    /// Parses `hci` with a number, or an address. Returns nil for any other text.
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

    /// Returns the kernel's number of the adapter. Throws the kernel's error if no adapter has the address.
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
