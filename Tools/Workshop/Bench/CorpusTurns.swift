import Clocks
import Console
import Credentials
import Encoding
import Foundation
import Glibc
import LinuxIO
import Reasons

/// Verifies files of a corpus as another process requests it, line by line. So that process can measure several
/// verifiers alternately, under the same noise of the machine.
///
/// Each line of standard input is a request, which is called a turn. Each turn is answered by a line of JSON on
/// standard output:
///
/// | turn | answer |
/// |---|---|
/// | `verify PATH FIRST COUNT` | `{"codes": […], "ns": […], "cpu": […]}`: a sample for each variant |
/// | `signature FILE COUNT` | `{"codes": […], "ns": […]}`: a sample for each bare signature check |
/// | `peak` | `{"peakBytes": …}`: the largest amount of memory that this process has used |
///
/// PATH is a file, or a folder with the variants `000.json`, `001.json` …, of which COUNT are verified from number
/// FIRST on. `ns` is the elapsed time, `cpu` the time on the processor, both in nanoseconds.
struct CorpusTurns {
    let verifier: Verifier
    let date: WallTime

    /// Answers turns until standard input ends.
    func run() throws {
        while let line = readLine() {
            Terminal.json(try answer(line.split(separator: " ").map(String.init)))
        }
    }

    private func answer(_ turn: [String]) throws -> JSON {
        switch turn.first {
        case "verify" where turn.count == 4:
            guard let first = Int(turn[2]), let count = Int(turn[3]), first >= 0, count > 0 else { break }
            return try verify(turn[1], first, count)
        case "signature" where turn.count == 3:
            guard let count = Int(turn[2]), count > 0 else { break }
            return try checkSignatures(turn[1], count)
        case "peak": return ["peakBytes": .int(Self.peakBytes)]
        default: break
        }
        throw CommandFailure("not a turn: \(turn.joined(separator: " "))")
    }

    private func verify(_ path: String, _ first: Int, _ count: Int) throws -> JSON {
        let payloads = try payloads(path, first, count)
        var codes: [String] = []
        var samples: [JSON] = []
        var processor: [JSON] = []
        for payload in payloads {
            let (start, spent) = (Machine.clock.now(), Self.processorTime)
            let verdict = verifier.verify(payload, at: date)
            samples.append(.int(Int(start.duration(to: Machine.clock.now()).nanoseconds)))
            processor.append(.int(Self.processorTime - spent))
            let code = verdict.code.text
            if !codes.contains(code) { codes.append(code) }
        }
        return ["codes": .array(codes.map { .text($0) }), "ns": .array(samples), "cpu": .array(processor)]
    }

    /// The processor time that this thread has used, in nanoseconds.
    private static var processorTime: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Reads the variants before any time is measured. If the path is a file, every variant is that file.
    private func payloads(_ path: String, _ first: Int, _ count: Int) throws -> [[UInt8]] {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard isFolder.boolValue else {
            let payload = try InputFile.bytes(path)
            return Array(repeating: payload, count: count)
        }
        return try (first..<first + count).map { number in
            try InputFile.bytes(path + "/" + String(format: "%03d.json", number))
        }
    }

    private func checkSignatures(_ file: String, _ count: Int) throws -> JSON {
        let entries = try JSON.parse(InputFile.bytes(file)).array ?? []
        let signatures = entries.compactMap { entry -> BareSignature? in
            guard let algorithm = entry["algorithm"]?.string, let key = entry["key"]?.string,
                let message = entry["message"]?.string.flatMap({ Hex.decode($0.string) }),
                let signature = entry["signature"]?.string.flatMap({ Hex.decode($0.string) })
            else { return nil }
            return BareSignature(algorithm: algorithm.string, key: key, message: message, signature: signature)
        }
        guard !signatures.isEmpty, signatures.count == entries.count else {
            throw CommandFailure("\(file) holds no signatures")
        }
        var codes: [String] = []
        var samples: [JSON] = []
        for number in 0..<count {
            let signature = signatures[number % signatures.count]
            let start = Machine.clock.now()
            let isValid = signature.isValid
            samples.append(.int(Int(start.duration(to: Machine.clock.now()).nanoseconds)))
            let code = (isValid ? ReasonCode.ok : .proofInvalid).text
            if !codes.contains(code) { codes.append(code) }
        }
        return ["codes": .array(codes.map { .text($0) }), "ns": .array(samples)]
    }

    /// The maximum of this program's resident memory so far, in bytes (VmHWM). The figure of getrusage would include
    /// the memory of the process before exec.
    private static var peakBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").compactMap { Int($0) }.first ?? 0) * 1024
    }
}
