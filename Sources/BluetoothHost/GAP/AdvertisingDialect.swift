/// The family of commands that make a controller advertise. Legacy and extended commands are never mixed: a controller
/// that has received a command of one family since its last reset refuses the other family (Core Specification Vol 4
/// Part E 3.1.1).
enum AdvertisingDialect: Equatable, Sendable {
    /// Legacy commands (7.8.4 to 7.8.9): one advertisement at a time.
    case legacy
    /// The commands 7.8.52 to 7.8.56 with legacy PDUs, which every phone receives. The value is the number of
    /// simultaneous advertisements.
    case sets(Int)

    /// The purpose of a command.
    enum Kind: Sendable {
        case parameters, address, data, scanResponse, enable
    }

    /// The maximum number of simultaneous advertisements.
    var places: Int {
        switch self {
        case .legacy: 1
        case .sets(let count): count
        }
    }

    func opcode(of kind: Kind) -> HCIOpcode {
        switch (self, kind) {
        case (.legacy, .parameters): .leSetAdvertisingParameters
        case (.legacy, .address): .leSetRandomAddress
        case (.legacy, .data): .leSetAdvertisingData
        case (.legacy, .scanResponse): .leSetScanResponseData
        case (.legacy, .enable): .leSetAdvertisingEnable
        case (.sets, .parameters): .leSetExtendedAdvertisingParameters
        case (.sets, .address): .leSetAdvertisingSetRandomAddress
        case (.sets, .data): .leSetExtendedAdvertisingData
        case (.sets, .scanResponse): .leSetExtendedScanResponseData
        case (.sets, .enable): .leSetExtendedAdvertisingEnable
        }
    }

    func parameters(_ interval: ClosedRange<UInt16>, _ place: Int) -> HCICommand {
        switch self {
        case .legacy: .leSetAdvertisingParameters(interval: interval)
        case .sets: .leSetExtendedAdvertisingParameters(UInt8(truncatingIfNeeded: place), interval: interval)
        }
    }

    func address(_ address: DeviceAddress, _ place: Int) -> HCICommand {
        switch self {
        case .legacy: .leSetRandomAddress(address)
        case .sets: .leSetAdvertisingSetRandomAddress(UInt8(truncatingIfNeeded: place), address)
        }
    }

    func data(_ data: [UInt8], _ place: Int) -> HCICommand {
        switch self {
        case .legacy: .leSetAdvertisingData(data)
        case .sets: .leSetExtendedAdvertisingData(UInt8(truncatingIfNeeded: place), data)
        }
    }

    func scanResponse(_ data: [UInt8], _ place: Int) -> HCICommand {
        switch self {
        case .legacy: .leSetScanResponseData(data)
        case .sets: .leSetExtendedScanResponseData(UInt8(truncatingIfNeeded: place), data)
        }
    }

    func enable(_ on: Bool, _ places: [Int]) -> HCICommand {
        switch self {
        case .legacy: .leSetAdvertisingEnable(on)
        case .sets: .leSetExtendedAdvertisingEnable(on, places.map { UInt8(truncatingIfNeeded: $0) })
        }
    }
}
