@testable import BluetoothHost

/// A second, independent model of how a host answers a phone on one link: fragments become PDUs (Core
/// Specification Vol 3 Part A 7.2.1), and each channel has its answers.
struct LinkModel {
    /// A PDU on the air.
    struct Frame: Equatable {
        let channel: UInt16
        let payload: [UInt8]
    }

    /// The longest PDU that a host accepts.
    static let longest = 517

    private(set) var att = ATTModel()
    private var collected: [UInt8]?

    /// Takes one data packet.
    mutating func piece(_ data: [UInt8], continues: Bool) -> (sent: [Frame], news: [ATTModel.News]) {
        guard let so = continues ? collected : [] else { return ([], []) }
        let bytes = so + data
        collected = bytes
        guard bytes.count >= 4 else { return ([], []) }
        let length = Int(bytes[0]) + Int(bytes[1]) * 256
        if length > Self.longest || bytes.count > 4 + length { collected = nil }
        guard length <= Self.longest, bytes.count == 4 + length else { return ([], []) }
        collected = nil
        return frame(UInt16(bytes[2]) + UInt16(bytes[3]) * 256, Array(bytes[4...]))
    }

    /// Takes one whole PDU.
    mutating func frame(_ channel: UInt16, _ payload: [UInt8]) -> (sent: [Frame], news: [ATTModel.News]) {
        switch channel {
        case 4:
            let (sent, news) = att.take(payload)
            return (sent.map { Frame(channel: 4, payload: $0) }, news)
        case 5:
            // Answers have the odd codes below 0x16, and 0x18 and 0x1A.
            guard payload.count >= 4, payload[1] != 0 else { return ([], []) }
            let code = payload[0]
            if code < 0x16 ? code % 2 == 1 : code == 0x18 || code == 0x1A { return ([], []) }
            return ([Frame(channel: 5, payload: [0x01, payload[1], 2, 0, 0, 0])], [])
        case 6:
            guard let code = payload.first, code != 0x05 else { return ([], []) }
            return ([Frame(channel: 6, payload: [0x05, 0x05])], [])
        default:
            return ([], [])
        }
    }
}

extension Bench {
    /// The frames that phones received, except the host's unprompted requests for a faster connection.
    var answers: [UInt16: [LinkModel.Frame]] {
        var answers: [UInt16: [LinkModel.Frame]] = [:]
        for (handle, frame) in heard where frame.channel != 5 || frame.payload.first != 0x12 {
            answers[handle, default: []].append(.init(channel: frame.channel, payload: [UInt8](frame.payload)))
        }
        return answers
    }

    /// The MTU changes, writes and subscriptions that the host reported, by connection.
    var news: [UInt16: [ATTModel.News]] {
        var news: [UInt16: [ATTModel.News]] = [:]
        for action in told {
            switch action {
            case .mtuChanged(let handle, let mtu): news[handle.rawValue, default: []].append(.mtu(mtu))
            case .written(let handle, let id, let value, let withResponse):
                news[handle.rawValue, default: []].append(.written(id, value, withResponse: withResponse))
            case .subscribed(let handle, let id, let wish):
                news[handle.rawValue, default: []].append(.configured(id, wish.rawValue))
            default: break
            }
        }
        return news
    }
}
