import Encoding
import Foundation
import Ledger
import TestKit
import Testing

@testable import Store

/// A database whose file survives a power cut: the file's name in its folder and the folder's name in the parent folder
/// are durable.
@Suite struct StoreFileTests {
    @Test func theNameOfANewDatabaseIsOnTheDisk() throws {
        let folder = try TestFolder("store")
        let name = try #require(folder.path.split(separator: "/").last)
        let (calls, error) = DiskCalls.made { _ = try StoreFile(path: folder.database) }
        #expect(error == nil && calls == ["sync \(name)"])
        let (again, _) = DiskCalls.made { _ = try StoreFile(path: folder.database) }
        #expect(again == [], "a name that was there is on the disk")
    }

    @Test func theNewFolderOfTheDatabaseIsOnTheDisk() throws {
        let folder = try TestFolder("store")
        let name = try #require(folder.path.split(separator: "/").last)
        let (calls, error) = DiskCalls.made { _ = try StoreFile(path: folder.path + "/state/gatehouse.sqlite") }
        #expect(error == nil && calls == ["sync \(name)", "sync state"])
    }

    @Test(arguments: [1, 2] as [Int32]) func aFailedSyncIsReported(failing: Int32) throws {
        let folder = try TestFolder("store")
        let path = folder.path + "/state/gatehouse.sqlite"
        let (_, error) = DiskCalls.made(failing: failing) { _ = try StoreFile(path: path) }
        guard case .inputOutput? = error as? StoreError else {
            Issue.record("\(String(describing: error))")
            return
        }
        // The failed attempt has not locked the path.
        #expect(throws: Never.self) { _ = try StoreFile(path: path) }
    }
}
