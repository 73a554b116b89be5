import Clocks
import Courier
import Credentials
import Encoding
import GateService
import Kiosk
import LinuxIO
import Reasons
import Settings
import TrustFiles

extension Composition {
    /// Opens the log. If the configured log file cannot be opened, uses standard error or the journal.
    static func openLog(
        _ configuration: Configuration, _ environment: [String: String], _ report: @escaping HealthReporter
    ) throws -> LogSink {
        let minimum = configuration.log.level
        let isJournal = LogSink.Journal.isStandardError(environment["JOURNAL_STREAM"])
        let standard: LogSink.Output = isJournal ? .journal : .standardError
        var journal = LogSink.Journal()
        journal.id = { MessageID.of($0) }
        guard let path = configuration.log.path else {
            return try LogSink(standard, minimum: minimum, journal: journal)
        }
        return try LogSink(
            .file(path), minimum: minimum, fallback: standard, journal: journal,
            report: { error in report(error.map { .present(.logDropped, detail: "\($0)") } ?? .over(.logDropped)) })
    }

    /// Logs the recorded crashes, before any other event line.
    static func logCrashes(_ history: CrashHistory, _ log: LogSink, _ clock: Clock, _ report: HealthReporter) {
        guard let first = history.crashes.first?.at else { return }
        let since = clock.utc().advanced(by: .zero - first.duration(to: clock.now())).rfc3339
        let servers = history.leftOut.map(\.string).joined(separator: ", ")
        log.log(
            .error, "crashed",
            ["count": .int(history.count), "since": .text(since), "leftOut": .text(servers)])
        guard !history.leftOut.isEmpty else { return }
        report(
            .present(
                .crashes, count: history.count, detail: "\(servers) is not contacted; since \(since)"))
    }
}

extension Composition.Base {
    /// Logs the start, and warnings about the configuration.
    func logStart(_ records: Records) {
        let trusted = judgement.trust.directory.store
        log.log(
            .info, "started",
            [
                "version": .text(version), "kiosk": .text(configuration.kiosk.id), "trust": .text(trusted.version),
                "start": .int(records.starts), "interrupted": .int(records.interrupted),
                "restored": .int(records.restored),
            ])
        StoppedDaemon.tell(log, in: runtime)
        for notice in configuration.notices {
            log.log(
                .warning, "configuration",
                ["key": .text(notice.key), "text": .text(notice.message), "remedy": .text(notice.remedy)])
        }
        PolicyService.log(judgement.rules, by: trusted, log)
    }
}
