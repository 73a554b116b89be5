import Glibc

/// A free TCP port of the loopback address and the socket that is bound to it: nobody is given the port until that is closed, and
/// whoever connects before somebody listens is refused.
package struct BoundPort {
    /// The socket; whoever made this closes it.
    package let descriptor: Int32
    /// The port.
    package let number: Int

    /// There is none.
    package struct Failure: Error {
        /// Why, as errno(3).
        let code: Int32
    }

    /// Takes one. One that `isShared` others may listen at who name it and set SO_REUSEADDR, as servers do.
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
