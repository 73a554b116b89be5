import Clocks
import ServiceLifecycle

/// Wraps a service whose end the program must not wait for long. Such a service is not needed for visits, and
/// it may hang in the network or on a socket, where it cannot be cancelled.
struct DetachedService: Service {
    private let service: any Service
    private let clock: Clock
    private let spawner: Spawner
    /// The time from the request to end until the service is abandoned.
    private let patience = Duration.milliseconds(300)

    /// Wraps `service`. `clock` measures the time until it is abandoned. Its task is no child task: this service does
    /// not wait for it.
    init(_ service: any Service, clock: Clock, spawner: Spawner) {
        (self.service, self.clock, self.spawner) = (service, clock, spawner)
    }

    func run() async throws {
        let (ends, end) = AsyncThrowingStream<Never, any Error>.makeStream()
        let work = spawner.start("a service that may be abandoned") { [service] in
            do {
                try await service.run()
                end.finish()
            } catch {
                end.finish(throwing: error)
            }
        }
        try await withGracefulShutdownHandler {
            for try await _ in ends {}
        } onGracefulShutdown: { [clock, spawner, patience] in
            spawner.start("the end of a service that may be abandoned") {
                try? await clock.sleep(for: patience)
                end.finish()
            }
        }
        work.cancel()
    }
}
