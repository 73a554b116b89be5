import Foundation
import Synchronization

/// The target that `--target=NAME` names. One program contains all targets, because linking takes longer than
/// compiling a target.
private let chosen: FuzzTarget? = {
    let name = option("target")
    return FuzzTarget.all.first { $0.name == name }
}()

private func option(_ name: String) -> String? {
    CommandLine.arguments.lazy.compactMap { $0.hasPrefix("--\(name)=") ? String($0.dropFirst(name.count + 3)) : nil }
        .first
}

/// libFuzzer's start: `--list` prints the targets with their longest input and `--target=NAME --seed=FOLDER` writes the
/// first inputs; both end the process. Options of libFuzzer have one hyphen.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
    if CommandLine.arguments.contains("--list") {
        for target in FuzzTarget.all { print(target.name, target.longest) }
        exit(0)
    }
    guard let chosen else {
        print("fuzz: no such target; see --list")
        exit(2)
    }
    if let folder = option("seed") {
        do {
            try write(try chosen.seeds().filter { $0.count <= chosen.longest }, to: folder)
            exit(0)
        } catch {
            print("fuzz: \(chosen.name): no seeds: \(error)")
            exit(2)
        }
    }
    chosen.check([])  // values that are computed once are computed now, not during the first input
    return 0
}

/// libFuzzer's call for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let chosen else { return 0 }
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let time = milliseconds { chosen.check(input) }
    // Measure again: the first run may have included the cost of other work.
    if let slowFolder, time > slowest.withLock({ $0 }) {
        keep(input, in: slowFolder, milliseconds: min(time, milliseconds { chosen.check(input) }))
    }
    return 0
}

/// The folder of `--slow=FOLDER`, in which inputs are kept that take longer than any before. libFuzzer itself
/// measures in whole seconds.
private let slowFolder = option("slow")
private let slowest = Mutex(10)

private func keep(_ input: [UInt8], in folder: String, milliseconds: Int) {
    let isSlower = slowest.withLock { slowest in
        guard milliseconds > slowest else { return false }
        slowest = milliseconds
        return true
    }
    if isSlower { try? Data(input).write(to: URL(fileURLWithPath: folder).appendingPathComponent("\(milliseconds)")) }
}

private func milliseconds(_ work: () -> Void) -> Int {
    let before = processorTime()
    work()
    return (processorTime() - before) / 1_000_000
}

/// Returns the processor time of this thread in nanoseconds; time of other processes is not included.
private func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

private func write(_ seeds: [[UInt8]], to folder: String) throws {
    let folder = URL(fileURLWithPath: folder, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (number, seed) in seeds.enumerated() {
        try Data(seed).write(to: folder.appendingPathComponent(String(number)))
    }
    print(seeds.count)
}
