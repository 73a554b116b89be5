import Clocks
import Encoding
import Kiosk
import Reasons
import Store
import Synchronization

/// The access to the courier's database, whose opening may fail.
final class CourierAccess: Sendable {
    /// The time between two attempts to open the database.
    static let pause = Duration.seconds(10)

    private let openCourier: @Sendable () async throws(StoreError) -> CourierStore
    /// The database, or the failure of the last attempt to open it; nil before the first attempt.
    private let opened = Mutex<Result<CourierStore, StoreError>?>(nil)

    /// Creates the access. `open` opens the database.
    init(_ open: @escaping @Sendable () async throws(StoreError) -> CourierStore) { openCourier = open }

    /// Opens the database, unless it is already open.
    func open() async throws(StoreError) {
        if case .success? = opened.withLock({ $0 }) { return }
        do throws(StoreError) {
            let courier = try await openCourier()
            opened.withLock { $0 = .success(courier) }
        } catch {
            opened.withLock { $0 = .failure(error) }
            throw error
        }
    }

    /// Returns the open database. Throws the failure of the last attempt to open it, or ``ConnectFailure/notReady``
    /// before the first attempt.
    func get() throws -> CourierStore {
        guard let opened = opened.withLock({ $0 }) else { throw ConnectFailure.notReady }
        return try opened.get()
    }

    /// Opens the database. After a failure tries again after ``pause``, until it succeeds. Reports the failure as a
    /// fault of the gate, which ends when the database is open. Returns nil if the task is cancelled before that.
    func wait(by clock: Clock, report: HealthReporter) async -> CourierStore? {
        var told: StoreError?
        while !Task.isCancelled {
            do throws(StoreError) {
                try await open()
            } catch {
                if error != told { report(.present(.agentUnreadable, detail: error.description)) }
                told = error
                try? await clock.sleep(for: Self.pause)
                continue
            }
            guard let courier = try? get() else { continue }
            // The opening itself reports unusable keys under the same code. Do not end that fault.
            let keys = courier.keysAtRest
            if told != nil, keys.failure == nil, keys.unreadable == 0 { report(.over(.agentUnreadable)) }
            return courier
        }
        return nil
    }

    /// Closes the database, if it is open.
    func close() async {
        if case .success(let courier)? = opened.withLock({ $0 }) { await courier.close() }
    }
}
