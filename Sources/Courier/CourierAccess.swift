import Clocks
import Encoding
import Store
import Synchronization

/// The access to the courier's database, whose opening may fail or take long.
final class CourierAccess: Sendable {
    /// The time after which an opening in progress is reported: the disk does not answer.
    static let patience = Duration.seconds(30)

    private struct State {
        /// The database, or the reason why it is not open; nil before the first result.
        var opened: Result<CourierStore, ConnectFailure>?
        var isOpening = false
    }

    private let path: String
    private let openCourier: @Sendable () async throws(StoreError) -> CourierStore
    private let state = Mutex(State())

    /// Creates the access to the database at `path`, which `open` opens.
    init(_ path: String, _ open: @escaping @Sendable () async throws(StoreError) -> CourierStore) {
        (self.path, openCourier) = (path, open)
    }

    /// Opens the database, unless it is already open. Returns the open database.
    @discardableResult
    func open() async throws(StoreError) -> CourierStore {
        if case .success(let courier)? = state.withLock(\.opened) { return courier }
        state.withLock { $0.isOpening = true }
        do throws(StoreError) {
            let courier = try await openCourier()
            state.withLock { $0 = State(opened: .success(courier)) }
            return courier
        } catch {
            state.withLock { $0 = State(opened: .failure(ConnectFailure(error))) }
            throw error
        }
    }

    /// Opens the database, like ``open()``. If that takes longer than ``patience``, calls `report` with this fact,
    /// which ``get()`` then throws. Does not call `report` after the end of the opening.
    func open(by clock: Clock, report: @escaping @Sendable (String) -> Void) async throws(StoreError) -> CourierStore {
        let limit = clock.now().advanced(by: Self.patience)
        let late: @Sendable () -> Void = { if let failure = self.noteDelay() { report(failure.text) } }
        let result = await clock.alarm(at: limit, ring: late) {
            do throws(StoreError) {
                return Result<CourierStore, StoreError>.success(try await open())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Records that the opening in progress takes long. Returns the failure; nil if no opening is in progress.
    private func noteDelay() -> ConnectFailure? {
        let failure = ConnectFailure(
            "\(path) does not answer: its opening takes longer than \(Self.patience.components.seconds) s",
            remedy: "check the disk and the kernel's log, and restart the service")
        return state.withLock { state in
            guard state.isOpening else { return nil }
            state.opened = .failure(failure)
            return failure
        }
    }

    /// Returns the open database. Throws the reason why it is not open: the failure of the last attempt, the delay of
    /// the present one, or ``ConnectFailure/notReady`` before the first result.
    func get() throws(ConnectFailure) -> CourierStore {
        guard let opened = state.withLock(\.opened) else { throw .notReady }
        return try opened.get()
    }

    /// Closes the database, if it is open.
    func close() async {
        if case .success(let courier)? = state.withLock(\.opened) { await courier.close() }
    }
}
