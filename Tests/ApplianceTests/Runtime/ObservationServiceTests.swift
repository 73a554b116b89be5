import Clocks
import CrashKit
import Credentials
import Encoding
import Foundation
import Glibc
import Kiosk
import Ledger
import LinuxIO
import Monitoring
import Observation
import Reasons
import Settings
import Store
import TestKit
import Testing

@testable import Features

/// The reports of the gate for observers, with files and sockets that are available, absent, and stalled.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct ObservationServiceTests {
    private let folder: URL
    private let reports = Reports()

    init() throws {
        folder = MemoryFolder.parent.appendingPathComponent("gh-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func section(_ more: String) throws -> ObserveSection {
        let text = "[kiosk]\nname = \"G\"\n[control]\npath = \"control.sock\"\n[observe]\n\(more)"
        return try Configuration.parse(Array(text.utf8), file: "f", folder: folder.path)[ObserveSection.self]
    }

    private func reporter() -> StatusReporter {
        StatusReporter(
            StatusReporter.Identity(name: "G", version: "1", start: 1, since: SystemClock.now(), opens: true),
            clock: .system, spawner: .system, kiosk: { KioskStatus(waiting: Health(), at: SystemClock.now()) },
            parts: [],
            now: { (SystemClock.now(), SystemClock.utc()) })
    }

    private func service(
        _ more: String, signal: ObservationSignal = ObservationSignal(), store: Store? = nil
    ) throws -> ObservationService {
        var times = ObservationService.Times()
        #expect(times.pause == (.seconds(10), .seconds(1)) && times.retry == .seconds(5) && times.look == .seconds(2))
        (times.pause.shortest, times.retry) = (.milliseconds(50), .milliseconds(100))
        return ObservationService(
            try section(more), access: ControlAccess(user: geteuid(), group: nil), status: reporter(), store: store,
            signal: signal, clock: .system, spawner: .system, date: { SystemClock.utc() }, times: times,
            report: reports.report)
    }

    private func running(_ service: ObservationService, _ body: () async throws -> Void) async throws {
        let task = Task { await service.run() }
        do { try await body() } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        await task.value
    }

    private func json(_ name: String) -> JSON? {
        FileManager.default.contents(atPath: path(name)).flatMap { try? JSON.parse(Array($0)) }
    }

    @Test func filesAreWrittenAtOnceAndAtEachChange() async throws {
        let signal = ObservationSignal()
        let service = try service("textfile = \"gatehouse.prom\"\nlisten = \"none\"", signal: signal)
        try await running(service) {
            #expect(await becomesTrue { json("status.json")?["name"] == "G" })
            #expect(await becomesTrue { FileManager.default.fileExists(atPath: path("gatehouse.prom")) })
            let text = try String(contentsOfFile: path("gatehouse.prom"), encoding: .utf8)
            #expect(text.contains("gatehouse_info{name=\"G\",version=\"1\"} 1"))
            // Other users may read the file, and never see an incomplete one.
            let mode = try FileManager.default.attributesOfItem(atPath: path("status.json"))[.posixPermissions] as? Int
            #expect(mode == 0o644)
            try FileManager.default.removeItem(atPath: path("status.json"))
            let began = SystemClock.now()
            signal.note(.stopped, of: nil, at: began)
            #expect(await becomesTrue { json("status.json") != nil })
        }
        #expect(reports.present.isEmpty)
    }

    @Test func failuresToWriteOrServeAreReported() async throws {
        let service = try service(
            "status = \"absent/status.json\"\ntextfile = \"absent/a.prom\"\nlisten = \"unix:absent/deep/observe.sock\"")
        try await running(service) {
            #expect(await becomesTrue { reports.present == [.observeFailed] })
            #expect(
                await becomesTrue {
                    let detail = reports.details(.observeFailed).last ?? ""
                    return ["absent/status.json", "absent/a.prom", "absent/deep/observe.sock"].allSatisfy {
                        detail.contains($0)
                    }
                })
            try FileManager.default.createDirectory(atPath: path("absent"), withIntermediateDirectories: false)
            #expect(await becomesTrue { reports.present.isEmpty })
            #expect(json("absent/status.json")?["name"] == "G")
        }
        #expect(!FileManager.default.fileExists(atPath: path("absent/deep/observe.sock")))
    }

    /// A file system that hangs: only the thread that uses it waits, and the hang is reported.
    @Test func aPlaceThatHangsDelaysNothing() async throws {
        let release = DispatchSemaphore(value: 0)
        let written = Recorder<String>()
        let file = try StatusFile("/run/stalled", clock: .system) { _, bytes in
            if written.isEmpty { release.wait() }
            written.add(String(decoding: bytes, as: UTF8.self))
        }
        file.write("first")
        for number in 0..<1000 { file.write("\(number)") }
        #expect(file.failure(at: SystemClock.now()) == nil)
        let later = SystemClock.now().advanced(by: .seconds(11))
        #expect(file.failure(at: later)?.contains("has not been written for 10.0 seconds") == true)
        release.signal()
        // Of all waiting reports only the newest is written.
        #expect(await becomesTrue { written.last == "999" })
        #expect(written.count <= 3)
        #expect(await becomesTrue { file.failure(at: SystemClock.now().advanced(by: .seconds(11))) == nil })
    }

    @Test func pagesRequireAccessToTheSocket() async throws {
        try await running(try service("status = \"none\"")) {
            // The socket's file exists before the server listens.
            #expect(await becomesTrue { (try? ask("/")) != nil })
            for (target, kind, text) in [
                ("/", "text/html", "<h1>G</h1>"), ("/?refresh=off", "text/html", ">resume</a>"),
                ("/status.json", "application/json", "\"name\":\"G\""), ("/metrics", "text/plain", "gatehouse_info{"),
            ] {
                let answer = try ask(target)
                #expect(answer.contains("200 OK") && answer.contains(text), "\(target): \(answer.prefix(300))")
                #expect(answer.lowercased().contains("content-type: \(kind)"), "\(target)")
            }
            #expect(try ask("/").contains("style-src 'sha256-"))
            #expect(try ask("/etc/passwd").contains("404"))
            // Only the service's own user, and root.
            let mode = try FileManager.default.attributesOfItem(atPath: path("observe.sock"))[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        #expect(!FileManager.default.fileExists(atPath: path("observe.sock")))
    }

    private func ask(_ target: String) throws -> String { try UnixRequest.get(target, at: path("observe.sock")) }

    /// The numbers of the day come from the ledger, since midnight, also after a restart.
    @Test func theDayIsTheLedgers() async throws {
        let store = try await Store.open(path("ledger.db"))
        let now = SystemClock.utc()
        let software = Outcome.Software(name: "gatehouse", version: "0")
        for number in 0..<300 {
            // The first two hundred are from earlier days.
            let at = number < 200 ? now.advanced(by: .seconds(-200_000 + number)) : now
            let stamp = RecordStamp(kiosk: "G", boot: "b", time: WallTime(utc: at, provenance: .rtc), monotonic: .zero)
            var outcome = Outcome(number % 2 == 0 ? .accepted : .rejected, gate: .shut, software: software)
            outcome.reasons = [Outcome.Reason(number % 2 == 0 ? "ok" : "validity.expired")]
            try await store.appendOutcome(Text("visit-\(number)"), outcome, stamp: stamp)
        }
        let keeper = DailyStatisticsReader(store, clock: .system, every: .milliseconds(50)) { now }
        let task = Task { await keeper.run() }
        #expect(await becomesTrue { keeper.present.total == 100 })
        #expect(keeper.present.total(of: .accepted) == 50 && keeper.present.visits.first?.number == 300)
        let stamp = RecordStamp(kiosk: "G", boot: "b", time: WallTime(utc: now, provenance: .rtc), monotonic: .zero)
        try await store.appendOutcome("late", Outcome(.failed, gate: .shut, software: software), stamp: stamp)
        #expect(await becomesTrue { keeper.present.total == 101 })
        task.cancel()
        await task.value
        let room = try await store.room()
        #expect(room.ledger > 1000 && room.free <= room.total && room.total > 0)
        await store.close()
    }
}
