import Clocks
import Encoding
import Foundation
import Glibc
import Kiosk
import LinuxIO
import Reasons
import TestKit
import Testing

@testable import GateService

/// An order is on the disk, or the failure is reported.
@Suite(.timeLimit(.minutes(2)), .tags(.realTime)) struct DoorOrdersTests {
    private let folder = OrderFolder()
    private let reports = Reports()

    private func orders(_ file: DoorOrderFile? = nil) throws -> DoorOrders {
        try DoorOrders(
            file ?? folder.file, clock: .system,
            wallTime: { WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc) },
            report: reports.report)
    }

    @Test func aReleaseIsOnTheDisk() throws {
        try folder.file.keep(.lock)
        let (calls, error) = DiskCalls.made { try folder.file.keep(.none) }
        #expect(error == nil && calls == ["sync \(folder.name)"])
        #expect(folder.file.read() == DoorOrderFile.Kept.none)
    }

    @Test func aReleaseNotStoredIsReportedAndTriedAgain() throws {
        try folder.file.keep(.lock)
        let (_, error) = DiskCalls.made(failing: 1) { try folder.file.keep(.none) }
        #expect((error as? SystemError)?.code == EIO)
        #expect(DiskCalls.made { try folder.file.keep(.none) }.calls == ["sync \(folder.name)"])
    }

    @Test func theNewestIsKeptWhateverCameBetween() async throws {
        let orders = try orders()
        #expect(orders.restored(at: .zero, minimum: .rtc) == .none)
        let numbers = (0..<100).map { orders.set($0 % 2 == 0 ? .none : .lock) }
        #expect(await becomesTrue { orders.hasKept(numbers[99]) })
        #expect(numbers.allSatisfy { orders.hasKept($0) } && !orders.hasKept(numbers[99] + 1))
        #expect(folder.file.read() == .lock)
    }

    /// After a failed write, the file may be missing. An order must then be written again, even if it equals
    /// the last stored one.
    @Test func failedOrdersAreWrittenAgain() async throws {
        try folder.file.keep(.lock)
        let orders = try orders()
        #expect(orders.restored(at: .zero, minimum: .rtc) == .lock)
        try folder.hide()
        let release = orders.set(.none)
        #expect(await becomesTrue { reports.present == [.doorOrder] })
        #expect(!orders.hasKept(release))
        try folder.show()
        try FileManager.default.removeItem(atPath: folder.file.path)
        let lock = orders.set(.lock)
        #expect(
            await becomesTrue {
                orders.turn(at: SystemClock.now()); return orders.hasKept(lock)
            })
        #expect(folder.file.read() == .lock && reports.present.isEmpty)
    }

    @Test func aDiskThatHangsIsReported() async throws {
        // A step of the first write does not end before the test permits it.
        let disk = SlowDisk()
        defer { disk.goOn() }
        var file = folder.file
        file.onStep = { if $0 == .written { disk.wait() } }
        let orders = try orders(file)
        let began = SystemClock.now()
        let number = orders.set(.lock)
        orders.turn(at: began)
        #expect(reports.present.isEmpty, "not before it takes long")
        orders.turn(at: SystemClock.now().advanced(by: DoorOrders.limit))
        #expect(DoorOrders.limit == .seconds(1) && reports.present == [.doorOrder])
        #expect(!orders.hasKept(number) && folder.file.read() == DoorOrderFile.Kept.none)
        disk.goOn()
        #expect(
            await becomesTrue {
                orders.turn(at: SystemClock.now()); return orders.hasKept(number)
            })
        #expect(folder.file.read() == .lock && reports.present.isEmpty)
    }
}

/// A disk that writes nothing until ``goOn()``.
private final class SlowDisk: Sendable {
    private let gate = DispatchSemaphore(value: 0)

    func wait() {
        gate.wait()
        gate.signal()
    }

    func goOn() { gate.signal() }
}

/// A folder with a gate's file of orders.
final class OrderFolder: Sendable {
    /// In memory where possible: an order has a time limit, which the disk of a busy machine may exceed.
    let path = MemoryFolder.place("orders").path
    var file: DoorOrderFile { DoorOrderFile(database: path + "/gate.db") }
    var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

    init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
    deinit {
        for path in [path, path + ".away"] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Makes the folder unavailable.
    func hide() throws { try FileManager.default.moveItem(atPath: path, toPath: path + ".away") }
    func show() throws { try FileManager.default.moveItem(atPath: path + ".away", toPath: path) }
}
