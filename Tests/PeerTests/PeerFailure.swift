/// Reports that a peer, or the appliance, did not do what a test waited for.
struct PeerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
