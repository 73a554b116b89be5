import Encoding

/// How a phone begins a connection: what remains the same about a device whose address is another one each time.
///
/// Many phones of one make have the same manner. It says what kind of device this is, never who.
package struct PeerManner: Hashable, Sendable {
    /// The parameters that it connected with.
    package let parameters: ConnectionParameters
    /// The opcode of its first attribute PDU; nil: it has said nothing.
    package internal(set) var firstWord: UInt8?
    /// How long it took to that: the number of times that 25 ms have to be doubled to exceed it, at most 8.
    package internal(set) var delay: UInt8?
    /// The ATT MTU that it asked for, in bytes; nil: none.
    package internal(set) var mtu: UInt16?

    /// A device that has connected with these parameters and said nothing.
    package init(parameters: ConnectionParameters) {
        self.parameters = parameters
    }

    /// It has sent that PDU so long after connecting.
    mutating func heard(_ pdu: ArraySlice<UInt8>, after time: Duration) {
        guard let opcode = pdu.first else { return }
        if firstWord == nil {
            firstWord = opcode
            delay = (0...7).first { time < .milliseconds(25 << Int64($0)) } ?? 8
        }
        if mtu == nil, opcode == ATTOpcode.exchangeMTURequest.rawValue, pdu.count >= 3 {
            mtu = UInt16(pdu[pdu.startIndex + 1]) | UInt16(pdu[pdu.startIndex + 2]) << 8
        }
    }
}
