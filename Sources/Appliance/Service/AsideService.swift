import ServiceLifecycle

/// A service whose end is not waited for long: what it does serves no visitor, and may hang in the network or on a socket, where
/// nobody can call it off.
struct AsideService<Wrapped: Service>: Service {
    private let service: Wrapped
    /// From the request to end until it is left behind.
    private let patience = Duration.milliseconds(300)

    init(_ service: Wrapped) { self.service = service }

    func run() async throws {
        let (ends, end) = AsyncThrowingStream<Never, any Error>.makeStream()
        let work = Task { try await service.run() }
        Task {
            do {
                try await work.value
                end.finish()
            } catch {
                end.finish(throwing: error)
            }
        }
        try await withGracefulShutdownHandler {
            for try await _ in ends {}
        } onGracefulShutdown: { [patience] in
            Task {
                try? await Task.sleep(for: patience)
                end.finish()
            }
        }
        work.cancel()
    }
}
