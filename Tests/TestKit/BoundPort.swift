import Glibc

/// A free TCP port of the loopback address, with the socket that is bound to it. Until this socket is closed, the
/// system gives the port to no other socket. It refuses connections to the port until the socket listens.
package struct BoundPort {
    /// The socket. The caller that creates this value must close it.
    package let descriptor: Int32
    /// The number of the port.
    package let number: Int

    /// The error that no port could be bound.
    package struct Failure: Error {
        /// The errno(3) code.
        let code: Int32
    }

    /// Binds a free port. With `isShared`, another socket may also listen on the port if it names the port and sets
    /// SO_REUSEADDR, as servers do.
    package init(isShared: Bool = false) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var one: Int32 = isShared ? 1 : 0
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            let code = errno
            if descriptor >= 0 { close(descriptor) }
            throw Failure(code: code)
        }
        number = Int(UInt16(bigEndian: address.sin_port))
    }
}
