/// The recognition of the verifier's advertisement by a wallet.
package enum WalletScan {
    /// Returns the verifier's 32-byte public key if the advertiser is the verifier of the invitation; otherwise nil.
    ///
    /// The Android and the iOS wallet filter by the 16-bit service, compare all its service data byte by byte, require
    /// the data of the scan response in the same report, and take the key from the advertisement.
    package static func match(
        _ advertiser: Advertiser, _ invitation: WalletInvitation, _ generation: WalletGeneration = .b
    ) -> [UInt8]? {
        let structures = structures(advertiser.data) + structures(advertiser.scanResponse)
        let listsService = structures.contains { type, value in
            (type == 0x02 || type == 0x03)
                && stride(from: value.startIndex, to: value.endIndex - 1, by: 2).contains {
                    value[$0...].prefix(2).elementsEqual(generation.service)
                }
        }
        guard listsService, let wanted = invitation.serviceData,
            let head = serviceData(generation.service, structures), head.elementsEqual(wanted)
        else { return nil }
        return key(structures, generation)
    }

    /// Returns the public key in the advertisement of any Tuvali verifier of the given generation; nil if the
    /// advertiser is not such a verifier.
    package static func anyKey(_ advertiser: Advertiser, _ generation: WalletGeneration = .b) -> [UInt8]? {
        key(structures(advertiser.data) + structures(advertiser.scanResponse), generation)
    }

    private static func key(
        _ structures: [(type: UInt8, value: ArraySlice<UInt8>)], _ generation: WalletGeneration
    ) -> [UInt8]? {
        guard let head = serviceData(generation.service, structures), head.count > 5,
            let tail = serviceData(generation.scanResponse, structures), tail.count == 27
        else { return nil }
        return head.suffix(5) + tail
    }

    /// Returns the AD structures of a payload (Core Specification Supplement part A): type and value. Ends before a
    /// structure that extends past the end of the payload.
    static func structures(_ payload: [UInt8]) -> [(type: UInt8, value: ArraySlice<UInt8>)] {
        var found: [(UInt8, ArraySlice<UInt8>)] = []
        var rest = payload[...]
        while let length = rest.popFirst(), length > 0, rest.count >= Int(length) {
            let structure = rest.prefix(Int(length))
            found.append((structure[structure.startIndex], structure.dropFirst()))
            rest = rest.dropFirst(Int(length))
        }
        return found
    }

    private static func serviceData(
        _ uuid: [UInt8], _ structures: [(type: UInt8, value: ArraySlice<UInt8>)]
    ) -> ArraySlice<UInt8>? {
        structures.first { $0.type == 0x16 && $0.value.starts(with: uuid) }?.value.dropFirst(2)
    }
}
