import BluetoothHost
import Tuvali

extension ServiceDefinition {
    /// Creates Tuvali's GATT service of `generation`, as the host's GATT server offers it.
    init(_ generation: Generation) {
        self.init(
            uuid: BluetoothUUID(short: generation.serviceUUID),
            characteristics: Characteristic.allCases.compactMap { characteristic in
                BluetoothUUID(littleEndian: characteristic.uuid(in: generation).reversed()).map { uuid in
                    CharacteristicDefinition(
                        id: characteristic.id(in: generation), uuid: uuid,
                        properties: .init(rawValue: characteristic.properties))
                }
            })
    }
}

/// The host's id of a characteristic: the index of the generation is its upper byte, the index of the
/// characteristic its lower byte.
extension Characteristic {
    /// The characteristics in the order of the GATT table. The host's id of a characteristic contains its index in
    /// this table.
    private static let table = allCases

    /// Returns the host's id of this characteristic in the service of `generation`.
    func id(in generation: Generation) -> CharacteristicID {
        CharacteristicID(rawValue: generation.place << 8 | UInt16(Self.table.firstIndex(of: self) ?? 0))
    }

    /// Creates the characteristic with the given host's id, for any generation; nil for an unknown id.
    init?(_ id: CharacteristicID) {
        let place = Int(id.rawValue & 0xFF)
        guard place < Self.table.count else { return nil }
        self = Self.table[place]
    }
}

extension Generation {
    /// The generations in their order. ``place`` and ``init(_:)`` both use this table.
    private static let table = allCases

    fileprivate var place: UInt16 { UInt16(Self.table.firstIndex(of: self) ?? 0) }

    /// Creates the generation whose service has the characteristic with the given host's id; nil for an unknown id.
    init?(_ id: CharacteristicID) {
        let place = Int(id.rawValue >> 8)
        guard place < Self.table.count else { return nil }
        self = Self.table[place]
    }
}
