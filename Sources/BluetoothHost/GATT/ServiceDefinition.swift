/// The application's id of a characteristic. All characteristics of a host must have different ids.
package struct CharacteristicID: RawRepresentable, Hashable, Sendable {
    /// The number that the application chose. Any number is allowed.
    package let rawValue: UInt16

    /// Creates the id with the given number.
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }
}

/// The permitted uses of a characteristic (Core Specification Vol 3 Part G table 3.5).
package struct CharacteristicProperties: OptionSet, Hashable, Sendable {
    /// The byte in the characteristic's declaration.
    package let rawValue: UInt8

    /// Creates the properties from their byte in the characteristic's declaration.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The characteristic's value can be read.
    package static let read = CharacteristicProperties(rawValue: 0x02)
    /// Write Command is allowed for the characteristic.
    package static let writeWithoutResponse = CharacteristicProperties(rawValue: 0x04)
    /// Write Request is allowed for the characteristic.
    package static let write = CharacteristicProperties(rawValue: 0x08)
    /// The characteristic's value may be pushed without confirmation.
    package static let notify = CharacteristicProperties(rawValue: 0x10)
    /// The characteristic's value may be pushed with confirmation.
    package static let indicate = CharacteristicProperties(rawValue: 0x20)
}

/// A characteristic of the application. With `notify` or `indicate`, the characteristic gets a Client Characteristic
/// Configuration descriptor.
package struct CharacteristicDefinition: Equatable, Sendable {
    /// The application's id of the characteristic.
    package let id: CharacteristicID
    /// The type of the characteristic.
    package let uuid: BluetoothUUID
    /// The uses that phones may make of the characteristic. If Write Command or Write Request is allowed, both are
    /// accepted, because wallets use either.
    package let properties: CharacteristicProperties
    /// The value that a read returns, at most 512 bytes.
    package let value: [UInt8]

    /// Creates a characteristic. `value` is truncated to 512 bytes (Core Specification Vol 3 Part F 3.2.9).
    package init(
        id: CharacteristicID, uuid: BluetoothUUID, properties: CharacteristicProperties, value: [UInt8] = []
    ) {
        self.id = id
        self.uuid = uuid
        self.properties = properties
        self.value = [UInt8](value.prefix(AttributeDatabase.maximumValueLength))
    }
}

/// A primary service of the application (Core Specification Vol 3 Part G 3.1).
package struct ServiceDefinition: Equatable, Sendable {
    /// The type of the service.
    package let uuid: BluetoothUUID
    /// The characteristics of the service, in the order of their handles.
    package let characteristics: [CharacteristicDefinition]

    /// Creates a service with the given type and characteristics.
    package init(uuid: BluetoothUUID, characteristics: [CharacteristicDefinition]) {
        self.uuid = uuid
        self.characteristics = characteristics
    }
}

/// The value that a phone writes into a Client Characteristic Configuration descriptor (Core Specification Vol 3 Part G
/// 3.3.3.3).
package enum ClientConfiguration: UInt16, Sendable {
    /// The phone requested neither notifications nor indications; also the state before any write.
    case none = 0x0000
    /// The phone requested notifications.
    case notifications = 0x0001
    /// The phone requested indications.
    case indications = 0x0002
}
