import Clocks
import Encoding
import Foundation
import Glibc
import Kiosk
import LinuxIO
import Reasons
import TestKit
import Testing
import VirtualKit

@testable import GateService

/// An order is on the disk, or the failure is reported.
@Suite struct DoorOrdersTests {
    private let folder = OrderFolder()
    private let reports = Reports()
    private let disk = Disk()

    private func orders(by time: VirtualTime) -> DoorOrders {
        DoorOrders(
            folder.file, clock: time.clock,
            wallTime: { WallTime(utc: Timestamp(seconds: 1_767_225_600), provenance: .rtc) },
            report: reports.report
        ) { [disk] in disk.take($0) }
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

    @Test func theNewestIsKeptWhateverCameBetween() throws {
        try VirtualTime.run { time in
            let orders = orders(by: time)
            #expect(orders.restored(at: time.now, minimum: .rtc) == .none)
            let numbers = (0..<100).map { orders.set($0 % 2 == 0 ? .none : .lock) }
            #expect(!orders.hasKept(numbers[99]))
            disk.goOn()
            #expect(numbers.allSatisfy { orders.hasKept($0) } && !orders.hasKept(numbers[99] + 1))
            #expect(folder.file.read() == .lock)
        }
    }

    /// After a failed write, the file may be missing. An order must then be written again, even if it equals
    /// the last stored one.
    @Test func failedOrdersAreWrittenAgain() throws {
        try folder.file.keep(.lock)
        try VirtualTime.run { time in
            let orders = orders(by: time)
            #expect(orders.restored(at: time.now, minimum: .rtc) == .lock)
            try folder.hide()
            let release = orders.set(.none)
            disk.goOn()
            #expect(reports.present == [.doorOrder] && !orders.hasKept(release))
            try folder.show()
            try FileManager.default.removeItem(atPath: folder.file.path)
            let lock = orders.set(.lock)
            disk.goOn()
            #expect(orders.hasKept(lock) && folder.file.read() == .lock && reports.present.isEmpty)
        }
    }

    @Test func aFailedWriteIsRepeated() throws {
        try VirtualTime.run { time in
            let orders = orders(by: time)
            #expect(orders.restored(at: time.now, minimum: .rtc) == .none)
            try folder.hide()
            let number = orders.set(.lock)
            disk.goOn()
            try folder.show()
            #expect(!orders.hasKept(number) && reports.present == [.doorOrder])
            orders.turn(at: time.now)
            disk.goOn()
            #expect(orders.hasKept(number) && folder.file.read() == .lock && reports.present.isEmpty)
        }
    }

    @Test func aDiskThatHangsIsReported() throws {
        try VirtualTime.run { time in
            let orders = orders(by: time)
            let number = orders.set(.lock)
            orders.turn(at: time.now)
            #expect(reports.present.isEmpty, "not before it takes long")
            try await time.clock.sleep(for: DoorOrders.limit)
            orders.turn(at: time.now)
            #expect(DoorOrders.limit == .seconds(1) && reports.present == [.doorOrder])
            #expect(!orders.hasKept(number) && folder.file.read() == DoorOrderFile.Kept.none)
            disk.goOn()
            #expect(orders.hasKept(number) && folder.file.read() == .lock && reports.present.isEmpty)
        }
    }
}

/// A disk that writes nothing until ``goOn()``.
private final class Disk: Sendable {
    private let waiting = Recorder<@Sendable () -> Void>()

    func take(_ work: @escaping @Sendable () -> Void) { waiting.add(work) }

    /// Writes all that waits, and what that causes.
    func goOn() {
        while !waiting.isEmpty {
            for work in waiting.removeAll() { work() }
        }
    }
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
