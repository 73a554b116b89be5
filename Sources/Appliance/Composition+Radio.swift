import LinuxIO
import Settings

extension Composition {
    /// Opens the transport to the controller that the configuration names.
    static func openTransport(
        _ radio: RadioSection, _ missing: MissingAdapter, _ runtime: String
    ) throws(TransportError) -> any HCITransport {
        switch radio.transport {
        case .userChannel:
            try missing.open { () throws(TransportError) in
                try HCIUserChannel.open(radio.device, opener: RadioOpener.path(beside: runtime))
            }
        case .tcp: try TCPTransport.connect(host: radio.host, port: radio.port)
        case .serial:
            try missing.open { () throws(TransportError) in
                try SerialTransport.open(radio.device, baud: radio.baud, flowControl: radio.flowControl)
            }
        }
    }
}
