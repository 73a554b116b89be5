import Console
import Encoding
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Settings
import Store

/// The clock of this machine, evaluated with the dates of the ledger as the service would do at a start now. The check
/// changes nothing.
struct ClockProbe {
    let look: ClockGuard.Reading
    let bound: Timestamp?
    let newestRecord: Timestamp?
    /// The date that an operator accepted and the service has not taken over yet.
    let pending: Timestamp?
    /// Why a waiting acceptance does not count.
    let refusal: ClockAcceptance.Refusal?
    /// The date that the gate would use.
    let time: WallTime
    let faults: [HealthReport]

    static func take(_ configuration: Configuration) async throws -> ClockProbe {
        let (path, skew) = (configuration.ledger.path, configuration.clock.skew)
        let look = ClockWatch.machine(made: ProductVersion.made, clock: Machine.clock)()
        let (kept, newest, confirmed) = try await kept(path)
        let acceptance = ClockAcceptance(database: path)
        let word = acceptance.pending()
        let refusal = word?.refusal(in: boots, at: look, skew: skew) ?? (acceptance.isUnreadable ? .unreadable : nil)
        let accepted = refusal == nil ? word?.date : nil
        var judge = ClockGuard(
            newest: kept, skew: skew, settle: configuration.clock.settle,
            memory: StoredDate.read(confirmed, boots: boots, at: look.monotonic),
            isAuthenticated: configuration.clock.authenticated, made: ProductVersion.made, at: look.monotonic)
        if let accepted { _ = judge.accept(accepted) }
        // Report the battery-backed clock at once: this command does not wait for it to settle.
        let hardware = look.hardware.trouble.map { HealthReport.present(.clockHardware, detail: $0) }
        let faults = judge.handle(look).filter(\.isPresent) + [hardware].compactMap(\.self)
        return ClockProbe(
            look: look, bound: accepted?.utc ?? kept, newestRecord: newest, pending: accepted?.utc, refusal: refusal,
            time: judge.time, faults: faults)
    }

    /// The names that the service may have given to this start of the machine.
    static var boots: [Text] { Boot.names(folder: StandardFolders.inForce.place(StandardFolders.runtime)) }

    private static func kept(
        _ path: String
    ) async throws -> (bound: Timestamp?, newest: Timestamp?, confirmed: [UInt8]?) {
        do throws(StoreError) {
            let reader = try LedgerReader(path: path)
            return (
                try await reader.savedClock(), try await reader.visits(last: 1).first?.record?.stamp.time.utc,
                try await reader.setting(StoredDate.setting)
            )
        } catch {
            // A gate that has never run has no stored date yet.
            if case .absent = error { return (nil, nil, nil) }
            throw CommandFailure(error.text, remedy: error.remedy)
        }
    }
}
