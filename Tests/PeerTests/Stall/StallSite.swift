/// The shared parts of a test: the air, the credential, and the library of `Tests/Peers/stall`.
struct StallSite {
    let place: Workplace
    let credential: Credential
    let library: String
    let air: Air

    /// Nil when the vectors are absent.
    init?(_ name: String) async throws {
        place = try Workplace(name)
        guard let credential = try Credential(place) else {
            place.remove()
            return nil
        }
        self.credential = credential
        library = try await Stall.library(place)
        air = try await Air(place)
    }

    /// Ends the air and removes the workplace.
    func close() async throws {
        try await air.stop()
        place.remove()
    }
}
