import ServiceLifecycle

/// Wraps a service whose end the program must not wait for long. Such a service is not needed for visits, and
/// it may hang in the network or on a socket, where it cannot be cancelled.
struct AsideService<Wrapped: Service>: Service {
    private let service: Wrapped
    /// The time from the request to end until the service is abandoned.
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
