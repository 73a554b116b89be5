import Encoding

/// One attribute of the server (Core Specification Vol 3 Part F 3.2).
struct Attribute: Sendable {
    enum Content: Sendable {
        /// A declaration attribute, which is readable and constant.
        case declaration([UInt8])
        /// The value of a characteristic. The id is nil for the server's own characteristics.
        case value([UInt8], CharacteristicProperties, CharacteristicID?)
        /// The client configuration of the characteristic whose value has the preceding handle.
        case clientConfiguration(CharacteristicProperties, CharacteristicID?)
    }

    let handle: UInt16
    let type: BluetoothUUID
    let content: Content
    /// The last handle of the definition if the attribute declares a service or characteristic; otherwise the
    /// attribute's handle (Vol 3 Part G 2.5.3).
    var groupEnd: UInt16

    /// Whether the attribute is readable.
    var isReadable: Bool {
        if case .value(_, let properties, _) = content { properties.contains(.read) } else { true }
    }
}

/// All attributes of the server. Only the definitions determine the handles. The same program always gives every phone
/// the same handles, because phones remember handles (Core Specification Vol 3 Part G 2.5.2).
///
/// Handles begin at 1 and have no gaps: Generic Access, Generic Attribute, then the application's services in order.
struct AttributeDatabase: Sendable {
    /// The maximum length of an attribute value in bytes (Core Specification Vol 3 Part F 3.2.9).
    static let maximumValueLength = 512

    private(set) var attributes: [Attribute] = []
    private var values: [CharacteristicID: (handle: UInt16, properties: CharacteristicProperties)] = [:]

    /// Creates the attributes. `appearance` is a number of Assigned Numbers 2.6. Services beyond 65 534 handles are
    /// omitted.
    init(deviceName: String, appearance: UInt16, services: [ServiceDefinition]) {
        var appearanceBytes: [UInt8] = []
        appearanceBytes.appendLE(appearance)
        add(
            .genericAccessService,
            [
                (nil, .deviceName, .read, Array(deviceName.utf8.prefix(248))),
                (nil, .appearance, .read, appearanceBytes),
            ])
        add(.genericAttributeService, [(nil, .serviceChanged, .indicate, [])])
        for service in services {
            add(service.uuid, service.characteristics.map { ($0.id, $0.uuid, $0.properties, $0.value) })
        }
    }

    /// The attribute with the given handle; nil if there is none.
    subscript(handle: UInt16) -> Attribute? {
        let index = Int(handle) - 1
        return attributes.indices.contains(index) ? attributes[index] : nil
    }

    /// The attributes with handles from `start` through `end`.
    subscript(start: UInt16, end: UInt16) -> ArraySlice<Attribute> {
        let first = max(Int(start) - 1, 0)
        let last = min(Int(end), attributes.count)
        return first < last ? attributes[first..<last] : []
    }

    /// Returns the handle and the properties of the value of the application's characteristic `id`; nil if there is no
    /// such characteristic.
    func value(of id: CharacteristicID) -> (handle: UInt16, properties: CharacteristicProperties)? { values[id] }

    private typealias Definition = (
        id: CharacteristicID?, uuid: BluetoothUUID, properties: CharacteristicProperties, value: [UInt8]
    )

    private mutating func add(_ service: BluetoothUUID, _ characteristics: [Definition]) {
        guard attributes.count + 1 + 3 * characteristics.count < 0xFFFF else { return }
        let start = attributes.count
        append(.primaryService, .declaration(service.littleEndian))
        for (id, uuid, properties, value) in characteristics {
            // Declaration: properties, handle of the value (the next one), type (Vol 3 Part G 3.3.1).
            var declaration = [properties.rawValue]
            declaration.appendLE(UInt16(truncatingIfNeeded: attributes.count + 2))
            let definition = attributes.count
            append(.characteristic, .declaration(declaration + uuid.littleEndian))
            let handle = append(uuid, .value(value, properties, id))
            if let id { values[id] = (handle, properties) }
            if !properties.isDisjoint(with: [.notify, .indicate]) {
                append(.clientCharacteristicConfiguration, .clientConfiguration(properties, id))
            }
            attributes[definition].groupEnd = UInt16(truncatingIfNeeded: attributes.count)
        }
        attributes[start].groupEnd = UInt16(truncatingIfNeeded: attributes.count)
    }

    @discardableResult private mutating func append(_ type: BluetoothUUID, _ content: Attribute.Content) -> UInt16 {
        let handle = UInt16(truncatingIfNeeded: attributes.count + 1)
        attributes.append(Attribute(handle: handle, type: type, content: content, groupEnd: handle))
        return handle
    }
}
