import Encoding

/// The services and characteristics that a GATT client has discovered on a server.
struct GATTTable: Equatable, Sendable {
    struct Service: Equatable, Sendable {
        var uuid: String
        var start: UInt16
        var end: UInt16
    }

    struct Characteristic: Equatable, Sendable {
        var uuid: String
        var service: String
        var properties: UInt8
        var declaration: UInt16
        var value: UInt16
        /// The last handle that may belong to the characteristic, known after the discovery of the next declaration.
        var end: UInt16
        /// The handle of the characteristic's Client Characteristic Configuration descriptor; nil if there is none.
        var configuration: UInt16?
    }

    var services: [Service] = []
    var characteristics: [Characteristic] = []

    /// The UUID of Service Changed, a characteristic of the Generic Attribute service.
    static let serviceChanged = "00002a05-0000-1000-8000-00805f9b34fb"

    /// Returns the entry of the characteristic in the Tuvali service of the given generation; nil if there is none.
    func find(_ characteristic: WalletCharacteristic, _ generation: WalletGeneration) -> Characteristic? {
        let (service, uuid) = (Self.text(generation.service[...]), characteristic.uuid(in: generation))
        return characteristics.first { $0.service == service && $0.uuid == uuid }
    }

    /// Returns the characteristic with the value handle `valueHandle` in the service of the given generation;
    /// nil if there is none.
    func characteristic(valueHandle: UInt16, _ generation: WalletGeneration) -> WalletCharacteristic? {
        let service = Self.text(generation.service[...])
        guard let found = characteristics.first(where: { $0.value == valueHandle && $0.service == service }) else {
            return nil
        }
        return WalletCharacteristic.allCases.first { $0.uuid(in: generation) == found.uuid }
    }

    /// Returns the lower-case text of a UUID of 2 or 16 bytes, least significant byte first (Core
    /// Specification Vol 3 Part B 2.5.1); nil for another length.
    static func text(_ uuid: ArraySlice<UInt8>) -> String? {
        let base: [UInt8] = [0xFB, 0x34, 0x9B, 0x5F, 0x80, 0x00, 0x00, 0x80, 0x00, 0x10, 0x00, 0x00]
        let full = uuid.count == 2 ? base + uuid + [0, 0] : Array(uuid)
        guard full.count == 16 else { return nil }
        let hex = Array(Hex.encode(full.reversed()))
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(hex[$0]) }.joined(separator: "-")
    }
}
