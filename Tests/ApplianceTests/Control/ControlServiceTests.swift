import Administration
import Clocks
import Encoding
import Features
import Foundation
import GateService
import LinuxIO
import Reasons
import Settings
import TestKit
import Testing

/// The control socket of the service when its folder is missing at the start, and when it is removed later.
@Suite(.tags(.realTime)) struct ControlServiceTests {
    @Test(.timeLimit(.minutes(1))) func aFolderThatAppearsIsUsed() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gh-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.path + "/run/gate/control.sock"
        let text = "[kiosk]\nname = \"G\"\n[control]\npath = \"\(path)\"\n"
        let section = try Configuration.parse(Array(text.utf8), file: "f", folder: folder.path).control
        var router = ControlRouter()
        router.take(.status) { _ in ["state": "fine"] }
        let reports = Reports()
        let service = ControlService(
            section, router: router, log: try LogSink(.file(folder.path + "/log")), report: reports.report,
            clock: .system, pause: .milliseconds(5))
        let running = Task { await service.run() }

        #expect(await becomesTrue { reports.present == [.controlFailed] })
        try await Task.sleep(for: .milliseconds(100))
        #expect(reports.details(.controlFailed).count == 1, "told once, however often it is tried")
        #expect(reports.details(.controlFailed).first?.contains(path) == true)
        try FileManager.default.createDirectory(atPath: folder.path + "/run", withIntermediateDirectories: false)
        #expect(await becomesTrue { reports.present.isEmpty })
        #expect(await isAnswered(at: path))

        // A removed socket is made again, also with its folder. Each change is one step, because the service
        // may make its socket meanwhile.
        try FileManager.default.removeItem(atPath: path)
        #expect(await becomesTrue { FileManager.default.fileExists(atPath: path) })
        #expect(await isAnswered(at: path))
        rename(folder.path + "/run/gate", folder.path + "/run/gone")
        #expect(await becomesTrue { FileManager.default.fileExists(atPath: path) })
        #expect(await isAnswered(at: path) && reports.present.isEmpty)
        // A file that is not the service's socket stays, and is reported until it is removed.
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path + ".mine"))
        rename(path + ".mine", path)
        #expect(await becomesTrue { reports.present == [.controlFailed] })
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        try FileManager.default.removeItem(atPath: path)
        #expect(await becomesTrue { reports.present.isEmpty })
        #expect(await isAnswered(at: path))
        running.cancel()
        await running.value
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// Asks on a thread of its own, because the call waits for the answer.
    private func isAnswered(at path: String) async -> Bool {
        let answer = await withCheckedContinuation { (asked: CheckedContinuation<[UInt8]?, Never>) in
            Thread.detachNewThread {
                asked.resume(
                    returning: try? ControlClient.ask(path, ControlRequest.status.line([]), within: .seconds(30)))
            }
        }
        return answer.map { String(decoding: $0, as: UTF8.self).contains("fine") } == true
    }
}
