import Clocks
import Credentials
import Encoding
import HTTPTransport
import Kiosk
import LinuxIO
import Monitoring
import Observation
import ServiceLifecycle
import Store

/// Publishes the state of the gate while the service runs: in files, which are written at each change and at least
/// every ten seconds, and as pages for programs on this machine. All values come from the report of the
/// ``StatusReporter`` and from the ledger's entries of the day. No part of the gate waits for this service.
struct ObservationService: ServiceLifecycle.Service {
    /// The times of the service.
    struct Times {
        /// The longest and the shortest time between two writes of the files.
        var pause: (longest: Duration, shortest: Duration) = (.seconds(10), .seconds(1))
        /// The time between two attempts to listen for requests.
        var retry = Duration.seconds(5)
        /// The time between two checks for new entries of the ledger.
        var look = DailyStatisticsReader.pause
    }

    private let times: Times
    private let clock: Clock
    private let section: ObserveSection
    private let access: ControlAccess
    private let report: RecentReport
    private let day: DailyStatisticsReader
    private let signal: ObservationSignal
    private let date: @Sendable () -> Timestamp
    private let faults: ObservationFaults

    /// Creates a service that publishes what `status` reports, in the files and at the address of the section.
    /// `access` contains the users who may use a Unix socket. `store` contains the ledger; nil: none exists yet.
    init(
        _ section: ObserveSection, access: ControlAccess, status: StatusReporter, store: Store?,
        signal: ObservationSignal,
        clock: Clock, spawner: Spawner, date: @escaping @Sendable () -> Timestamp, times: Times = Times(),
        report: @escaping HealthReporter
    ) {
        (self.times, self.clock) = (times, clock)
        (self.section, self.access, self.signal, self.date) = (section, access, signal, date)
        self.report = RecentReport(status, clock: clock, spawner: spawner)
        day = DailyStatisticsReader(store, clock: clock, every: times.look, date: date)
        faults = ObservationFaults(report)
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await write() }
                group.addTask { await serve() }
                if section.listen != nil { group.addTask { await day.run() } }
            }
        }
    }

    // MARK: - Files

    private func write() async {
        let status = file(section.status)
        let metrics = file(section.textfile)
        var changes = signal.changes.makeAsyncIterator()
        while !Task.isCancelled {
            if let report = await report.now() {
                day.look(report)
                status?.write(report.json.compactText + "\n")
                metrics?.write(Metric.exposition(of: report))
            }
            try? await clock.sleep(for: times.pause.shortest)
            let now = clock.now()
            let failures = [status, metrics].compactMap { $0?.failure(at: now) }
            faults.take(.file, failures)
            // Wait for the next change, or for the time of the next write.
            let rest = failures.isEmpty ? times.pause.longest - times.pause.shortest : .zero
            await clock.alarm(at: now.advanced(by: rest), ring: { [signal] in signal.wake() }) {
                _ = await changes.next()
            }
        }
    }

    private func file(_ path: String?) -> StatusFile? {
        guard let path else { return nil }
        do throws(SystemError) {
            return try StatusFile(path, clock: clock)
        } catch {
            faults.take(.thread, [error.description])
            return nil
        }
    }

    // MARK: - Pages

    private func serve() async {
        guard let listen = section.listen else { return }
        await Periodic(every: times.retry, by: clock).run { _ in
            switch listen {
            case .address(let address): await serve(.address(address), at: address.description)
            case .socket(let path):
                do throws(SystemError) {
                    let socket = try ControlSocket(
                        path, isShared: access.group != nil, backlog: 16, key: "observe.listen")
                    let access = access
                    let permits: @Sendable (Int32) -> Bool = { PeerCredentials(of: $0).map(access.permits) ?? false }
                    await serve(.socket(socket.descriptor, permits: permits), at: path)
                    socket.removeName()
                } catch {
                    faults.take(.server, [error.description])
                }
            }
        }
    }

    private func serve(_ place: LocalServer.Place, at name: String) async {
        do throws(ListenFailure) {
            try await LocalServer(place) { await answer($0) }.run { _ in faults.take(.server, []) }
        } catch {
            faults.take(.server, ["cannot listen at \(name): \(Self.text(error))"])
        }
    }

    private static func text(_ failure: ListenFailure) -> String {
        switch failure {
        case .inUse: "another program uses the address"
        case .notHere: "this machine does not have the address"
        case .forbidden: "the system does not permit it"
        case .broken: "the system refuses it"
        }
    }

    /// Returns the answer to a request for the path `target`; nil if no page has this path or no report is available
    /// in time.
    private func answer(_ target: String) async -> LocalServer.Answer? {
        let page = ["/": true, "/?refresh=off": false]
        guard page[target] != nil || ["/status.json", "/metrics"].contains(target) else { return nil }
        guard let report = await report.now() else { return nil }
        if let refreshes = page[target] {
            let now = date()
            let html = StatusPage(
                report, day: day.present, at: now, zone: LocalDay.offset(at: now), refreshes: refreshes
            ).html
            return LocalServer.Answer(StatusPage.mediaType, Array(html.utf8), policy: StatusPage.policy)
        }
        return target == "/metrics"
            ? LocalServer.Answer(Metric.mediaType, Array(Metric.exposition(of: report).utf8))
            : LocalServer.Answer("application/json", report.json.compactBytes + [0x0A])
    }
}
