import Clocks
import ServiceLifecycle

/// Runs a service for whose end the program does not wait long. No visit needs such a service. It may block on the
/// network or on a socket, where it cannot be cancelled.
struct DetachedService: Service {
    private let service: any Service
    private let clock: Clock
    private let spawner: Spawner
    /// The time between the request to end and the moment when the program no longer waits for the service.
    private let patience = Duration.milliseconds(300)

    /// Creates the service that runs `service`. `clock` measures the time limit. The task is started with `spawner`
    /// and not as a child task, because a parent task would wait for a child task.
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
