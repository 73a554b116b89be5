import Encoding
import TestKit
import Testing

@testable import Tuvali

/// A size write has four bytes but announces up to two million. Its cost must depend on the bytes written, not on the
/// announced number.
@Suite struct RepeatedSizeTests {
    private static let largest: [UInt8] = [0, 0x20, 0, 0]

    @Test func sizesThatNothingFollowsCostNothing() throws {
        var visit = try TestVisit(at: .keyed)
        visit.driver.give(.write(.responseSize, Self.largest))
        var session = visit.driver.session
        let now = visit.driver.now
        let event = SessionEvent.write(.responseSize, Self.largest)
        let (blocks, bytes, actions) = Allocations.made(ofAtLeast: 256) {
            (0..<40_200).reduce(0) { count, _ in count + session.handle(event, at: now).count }
        }
        print("sizes that nothing follows: \(blocks) blocks, \(bytes) bytes")
        #expect(actions == 0)
        #expect(blocks < 10 && bytes < 10_000, "\(blocks) blocks, \(bytes) bytes")
    }

    /// With a chunk between two sizes, the memory is allocated once and is not cleared.
    @Test func sizesWithAChunkEachTakeTheMemoryOnce() throws {
        var assembler = try Assembler(size: 2_097_152, maxData: 64)
        let chunk = TestWallet.chunk(1, [UInt8](repeating: 7, count: 60))
        #expect(assembler.reservedBytes == 0)
        // The sizes increase. Otherwise the first size would already reserve all the memory.
        let (blocks, bytes, refused) = Allocations.made(ofAtLeast: 256) {
            (0..<2000).count { round in
                guard (try? assembler.restart(size: 1_000_000 + 500 * round, maxData: 64)) != nil else { return true }
                return assembler.add(chunk) != .accepted
            }
        }
        print("sizes with a chunk each: \(blocks) blocks, \(bytes) bytes")
        #expect(refused == 0)
        #expect(assembler.receivedChunks == 1 && assembler.reservedBytes <= 2_097_152)
        #expect(blocks < 40 && bytes < 8_000_000, "\(blocks) blocks, \(bytes) bytes")
    }

    /// The next transfer does not contain bytes that an earlier transfer left in the memory.
    @Test func nothingOfTheOldTransferIsInTheNew() throws {
        var visit = try TestVisit(at: .keyed)
        let long = [UInt8](repeating: 0xEE, count: 5000)
        visit.driver.give(.write(.responseSize, TestWallet.size(long)))
        for chunk in TestWallet.cut(long, maxData: 182).dropLast() { visit.driver.give(.write(.submitResponse, chunk)) }
        visit.driver.give(.write(.responseSize, TestWallet.size(visit.sealed)))
        for chunk in visit.chunks.dropFirst() { visit.driver.give(.write(.submitResponse, chunk)) }
        visit.driver.give(.write(.transferReportRequest, [1]))
        visit.driver.advance(.milliseconds(5))
        #expect(visit.driver.notified(.transferReportResponse) == [[0, 0, 1, 0, 1]])
        visit.driver.give(.write(.submitResponse, visit.chunks[0]))
        visit.driver.give(.write(.transferReportRequest, [1]))
        #expect(visit.driver.payloads.first?.bytes.starts(with: TestVisit.plain) == true)
        // The session reports the second size when its first chunk arrives.
        let sizes = visit.driver.actions.compactMap { if case .transferStarted(let size, _) = $0 { size } else { nil } }
        #expect(sizes == [5000, visit.sealed.count])
    }
}

/// Runs a transfer at every MTU that a link can have.
@Suite struct EveryMTUTests {
    /// Below an MTU of 67 the session fails. From 67 to 512 the stride follows the link's MTU.
    @Test func strideFollowsTheMTU() throws {
        for mtu in 23...517 {
            var random = SplitMix64(seed: UInt64(mtu))
            let key = try VerifierKey(privateBytes: random.bytes(32))
            let wallet = try TestWallet(verifierKey: key.publicKey, random: &random)
            var driver = SessionDriver(key: key, verdict: true)
            driver.give(.connected(attMTU: 23))
            driver.give(.mtuChanged(mtu))
            driver.give(.write(.identify, wallet.identify))
            guard mtu >= 67 else {
                #expect(driver.errors == [.mtuTooSmall(attMTU: mtu)] && driver.errors[0].code.rawValue == "TVV_CON_001")
                continue
            }
            let sealed = try wallet.seal(random.bytes(3 * mtu))
            let maxData = min(mtu, 512) - 3
            // Neither a chunk before the first size nor a chunk of another stride counts.
            driver.give(.write(.submitResponse, TestWallet.cut(sealed, maxData: maxData)[0]))
            driver.give(.write(.responseSize, TestWallet.size(sealed)))
            if mtu > 67 { driver.give(.write(.submitResponse, TestWallet.cut(sealed, maxData: maxData - 1)[0])) }
            var chunks = TestWallet.cut(sealed, maxData: maxData)
            var wrong = chunks[1]
            wrong[1] = 0  // number 0
            driver.give(.write(.submitResponse, wrong))
            wrong[0] = 0xFF
            driver.give(.write(.submitResponse, wrong))
            wrong = chunks[1]
            wrong[4] ^= 1
            driver.give(.write(.submitResponse, wrong))
            chunks.swapAt(0, 1)
            for chunk in chunks + [chunks[0]] { driver.give(.write(.submitResponse, chunk)) }
            driver.give(.write(.transferReportRequest, [1]))
            driver.advance(.milliseconds(5))
            let statistics = driver.payloads.first?.statistics
            let total = (sealed.count + maxData - 5) / (maxData - 4)
            #expect(statistics?.chunks == total && statistics?.crcErrors == 1, "MTU \(mtu)")
            #expect(statistics?.duplicates == 1)
            #expect(
                driver.notified(.transferReportResponse) == [[1, 0, 0]] && driver.notified(.verificationStatus) == [[0]]
            )
        }
    }
}
