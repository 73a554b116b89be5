/// The characteristics of the service. `allCases` is their order in the GATT table.
package enum Characteristic: CaseIterable, Hashable, Sendable {
    /// Wallet to verifier: nonce (12 bytes) and X25519 public key (32 bytes).
    case identify
    /// A declared characteristic that no released wallet uses.
    case requestSize
    /// A declared characteristic that no released wallet uses.
    case request
    /// Wallet to verifier: the number of encrypted bytes, in 4 bytes, most significant byte first.
    case responseSize
    /// Wallet to verifier: the chunks.
    case submitResponse
    /// Wallet to verifier: 0x01 requests a transfer report, 0x02 reports a failure of the wallet.
    case transferReportRequest
    /// Verifier to wallet: the transfer report.
    case transferReportResponse
    /// Verifier to wallet: 0x00 accepted, 0x01 rejected.
    case verificationStatus
    /// Verifier to wallet: 0x01 asks the wallet to disconnect. Wallets require the declaration, but the gate never
    /// sends the value.
    case disconnect

    /// Returns the 128-bit UUID, most significant byte first as in its text. ATT sends the bytes in reverse order.
    package func uuid(in generation: Generation) -> [UInt8] {
        if let shortUUID = shortUUID(in: generation) {
            // Bluetooth Base UUID, Core Specification Vol 3 Part B 2.5.1.
            return [0, 0, UInt8(truncatingIfNeeded: shortUUID >> 8), UInt8(truncatingIfNeeded: shortUUID)]
                + [0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0x80, 0x5F, 0x9B, 0x34, 0xFB]
        }
        return [0, 0, 0, number] + [0x50, 0x26, 0x44, 0x4A, 0x9E, 0x0E, 0xD6, 0xF2, 0x45, 0x0F, 0x3A, 0x77]
    }

    /// Returns the 16-bit form of the UUID; nil if there is none. In generation A each characteristic has a 16-bit
    /// form, in the order of the table. In generation B only ``verificationStatus`` has a 16-bit form.
    package func shortUUID(in generation: Generation) -> UInt16? {
        switch (self, generation) {
        case (.identify, .a): 0x2030
        case (.requestSize, .a): 0x2031
        case (.request, .a): 0x2032
        case (.responseSize, .a): 0x2033
        case (.submitResponse, .a): 0x2034
        case (.transferReportRequest, .a): 0x2035
        case (.transferReportResponse, .a): 0x2036
        case (.verificationStatus, _): 0x2037
        case (.disconnect, .a): 0x2038
        case (_, .b): nil
        }
    }

    /// The permitted uses: the properties byte of the declaration (Core Specification Vol 3 Part G 3.3.1.1). No
    /// characteristic requires encryption or pairing.
    ///
    /// Tuvali's Android verifier sends notifications on characteristics with indications all the same, and the gate may
    /// do so, too. The host adds a Client Characteristic Configuration descriptor (0x2902) to them. iPhones require the
    /// descriptor. Android wallets never write it, so the gate must send notifications regardless of its value.
    package var properties: UInt8 {
        let (read, writeWithoutResponse, write, indicate): (UInt8, UInt8, UInt8, UInt8) = (0x02, 0x04, 0x08, 0x20)
        if isWritable { return write | writeWithoutResponse }
        return switch self {
        case .requestSize, .request: read | indicate
        default: indicate
        }
    }

    /// Whether the wallet writes the characteristic.
    package var isWritable: Bool {
        switch self {
        case .identify, .responseSize, .submitResponse, .transferReportRequest: true
        case .requestSize, .request, .transferReportResponse, .verificationStatus, .disconnect: false
        }
    }

    /// The number by which the 128-bit UUIDs of generation B differ.
    private var number: UInt8 {
        switch self {
        case .requestSize: 0x04
        case .request: 0x05
        case .identify: 0x06
        case .responseSize: 0x07
        case .submitResponse: 0x08
        case .transferReportRequest: 0x09
        case .transferReportResponse: 0x0A
        case .disconnect: 0x0B
        case .verificationStatus: 0
        }
    }
}
