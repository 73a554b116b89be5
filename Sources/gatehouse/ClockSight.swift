import Appliance
import Credentials
import Encoding
import Kiosk
import Ledger
import LinuxIO
import Store

/// The clock of this machine, judged with what the ledger knows of the date as the service would at a start now. Changes nothing.
struct ClockSight {
    let look: ClockGuard.Look
    let bound: Timestamp?
    let newestRecord: Timestamp?
    let pending: Timestamp?
    /// What the gate would take for the date.
    let time: WallTime
    let faults: [HealthReport]

    static func take(_ configuration: Configuration) async throws -> ClockSight {
        let (path, skew) = (configuration.ledger.path, configuration.clock.skew)
        let look = ClockWatch.machine(made: ProductVersion.made)()
        let (kept, newest, confirmed) = try await kept(path)
        let pending = ClockAcceptance(database: path).pending()
        let bound = pending ?? kept
        var judge = ClockGuard(
            newest: bound, skew: skew, settle: configuration.clock.settle,
            memory: pending == nil ? Self.memory(confirmed, at: look.monotonic) : nil,
            made: ProductVersion.made, at: look.monotonic)
        // The battery-backed clock is told at once: here nobody waits for it to settle.
        let hardware = look.hardware.trouble.map { HealthReport.present(.clockHardware, detail: $0) }
        let faults = judge.handle(look).filter(\.isPresent) + [hardware].compactMap(\.self)
        return ClockSight(
            look: look, bound: bound, newestRecord: newest, pending: pending, time: judge.time, faults: faults)
    }

    /// What the service keeps of this start of the machine, by whichever name it knows that.
    private static func memory(_ bytes: [UInt8]?, at now: Instant) -> ClockMemory? {
        Boot.names(folder: StandardFolders.inForce.place(StandardFolders.runtime)).lazy
            .compactMap { KeptDate.read(bytes, boot: $0, at: now) }.first
    }

    private static func kept(
        _ path: String
    ) async throws -> (bound: Timestamp?, newest: Timestamp?, confirmed: [UInt8]?) {
        do throws(StoreError) {
            let reader = try LedgerReader(path: path)
            return (
                try await reader.savedClock(), try await reader.visits(last: 1).first?.record?.stamp.time.utc,
                try await reader.setting(KeptDate.setting)
            )
        } catch {
            // A box that has never run knows nothing yet.
            if case .absent = error { return (nil, nil, nil) }
            throw CommandFailure(error.text, remedy: error.remedy)
        }
    }
}
