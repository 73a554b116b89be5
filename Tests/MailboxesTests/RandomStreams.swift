import DIDComm
import Encoding

/// Returns a random stream that `seed` determines.
func stream(_ seed: UInt8) -> RandomStream {
    guard let stream = RandomStream(seed: Secret([UInt8](repeating: seed, count: 32))) else {
        preconditionFailure("libsodium is not usable")
    }
    return stream
}
