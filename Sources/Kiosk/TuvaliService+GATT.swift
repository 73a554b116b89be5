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
    /// The host's name for this characteristic.
    var id: CharacteristicID {
        CharacteristicID(rawValue: UInt16(Self.allCases.firstIndex(of: self) ?? 0))
    }

    /// The characteristic of that name.
    init?(_ id: CharacteristicID) {
        let all = Self.allCases
        guard Int(id.rawValue) < all.count else { return nil }
        self = all[Int(id.rawValue)]
    }
}
