import BluetoothHost
import Tuvali

extension ServiceDefinition {
    /// Tuvali's service as the host's GATT server is to offer it; the names of the characteristics are their positions.
    static var tuvali: ServiceDefinition {
        ServiceDefinition(
            uuid: BluetoothUUID(short: TuvaliService.uuid),
            characteristics: Characteristic.allCases.compactMap { characteristic in
                BluetoothUUID(littleEndian: characteristic.uuid.reversed()).map { uuid in
                    CharacteristicDefinition(
                        id: characteristic.id, uuid: uuid,
                        properties: .init(rawValue: characteristic.properties.rawValue))
                }
            })
    }
}

extension Characteristic {
    /// In the order of the table, so that a name is a place.
    private static let table = allCases

    /// The host's name for this characteristic.
    var id: CharacteristicID {
        CharacteristicID(rawValue: UInt16(Self.table.firstIndex(of: self) ?? 0))
    }

    /// The characteristic of that name.
    init?(_ id: CharacteristicID) {
        guard Int(id.rawValue) < Self.table.count else { return nil }
        self = Self.table[Int(id.rawValue)]
    }
}
