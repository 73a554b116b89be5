import BluetoothHost
import Tuvali

extension ServiceDefinition {
    /// Tuvali's service of that generation, as the host's GATT server offers it.
    init(_ generation: Generation) {
        self.init(
            uuid: BluetoothUUID(short: generation.serviceUUID),
            characteristics: Characteristic.allCases.compactMap { characteristic in
                BluetoothUUID(littleEndian: characteristic.uuid(in: generation).reversed()).map { uuid in
                    CharacteristicDefinition(
                        id: characteristic.id(in: generation), uuid: uuid,
                        properties: .init(rawValue: characteristic.properties.rawValue))
                }
            })
    }
}

/// The host's name for a characteristic: the index of the generation in the upper byte, that of the
/// characteristic in the lower one.
extension Characteristic {
    /// The characteristics in the order of the GATT table, so that a name contains an index.
    private static let table = allCases

    /// The host's name for this characteristic of that generation's service.
    func id(in generation: Generation) -> CharacteristicID {
        CharacteristicID(rawValue: generation.place << 8 | UInt16(Self.table.firstIndex(of: self) ?? 0))
    }

    /// The characteristic of that name, for any generation.
    init?(_ id: CharacteristicID) {
        let place = Int(id.rawValue & 0xFF)
        guard place < Self.table.count else { return nil }
        self = Self.table[place]
    }
}

extension Generation {
    /// The generations in their order; ``place`` and ``init(_:)`` both use it.
    private static let table = allCases

    fileprivate var place: UInt16 { UInt16(Self.table.firstIndex(of: self) ?? 0) }

    /// The generation whose service has the characteristic of that name.
    init?(_ id: CharacteristicID) {
        let place = Int(id.rawValue >> 8)
        guard place < Self.table.count else { return nil }
        self = Self.table[place]
    }
}
