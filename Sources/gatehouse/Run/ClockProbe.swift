import Console
import Encoding
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Settings
import Store

/// The clock of this machine, compared with the dates in the ledger as the service compares them at its start. The
/// comparison changes nothing.
struct ClockProbe {
    let look: ClockGuard.Reading
    let bound: Timestamp?
    let newestRecord: Timestamp?
    /// The date that an operator has accepted and that the service has not taken over yet; nil if there is none.
    let pending: Timestamp?
    /// Why the service would not take over the date that an operator has accepted; nil if it would, or if there is
    /// none.
    let refusal: ClockAcceptance.Refusal?
    /// The date, with its provenance, that the service would use if it started now.
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
        // Report a fault of the battery-backed clock at once: this command does not wait, as the service does, until
        // the clock has settled.
        let hardware = look.hardware.trouble.map { HealthReport.present(.clockHardware, detail: $0) }
        let faults = judge.handle(look).filter(\.isPresent) + [hardware].compactMap(\.self)
        return ClockProbe(
            look: look, bound: accepted?.utc ?? kept, newestRecord: newest, pending: accepted?.utc, refusal: refusal,
            time: judge.time, faults: faults)
    }

    /// The identifiers that the service may use for this boot.
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
            // Without a database no date is stored: the gate has never run.
            if case .absent = error { return (nil, nil, nil) }
            throw CommandFailure(error.text, remedy: error.remedy)
        }
    }
}
