import Simulation

/// What the air did to a wallet's writes, read out of a recording: which of them reached the verifier, and whether the verifier's
/// reports bear that out. Only chunks may be lost, damaged or said twice.
struct ReplayedAir {
    typealias Step = WalletSessionVectorTests.Step

    /// What reached the verifier, or was done by the wallet's phone, in order.
    let recorded: [Step]
    /// The transfer reports that followed the requests, in order.
    let reports: [[UInt8]]

    /// Why these steps of a wallet cannot have led to the recording; nil: they have.
    func difference(from done: [Step]) -> String? {
        var (next, requests, announced) = (0, 0, 0)
        var (missing, held) = (Set<Int>(), Set<Int>())
        for (index, step) in done.enumerated() {
            let number = Self.chunk(step)
            // The air may have said a chunk twice.
            while next < recorded.count, recorded[next] != step, let again = Self.chunk(recorded[next]),
                again != number,
                held.contains(again), missing.isDisjoint(with: [again]), next > 0, recorded[next] == recorded[next - 1]
            {
                next += 1
            }
            let matches = next < recorded.count && recorded[next] == step
            if let number {
                announced = max(announced, number)
                if matches {
                    (missing, held) = (missing.subtracting([number]), held.union([number]))
                    next += 1
                } else {
                    if !held.contains(number) { missing.insert(number) }
                    if next < recorded.count, Self.isDamaged(step, as: recorded[next]) { next += 1 }
                }
                continue
            }
            guard matches else { return "step \(index) differs" }
            next += 1
            guard case .write(WalletCharacteristic.transferReportRequest.rawValue, [1], _) = step else { continue }
            if let difference = disagreement(of: requests, missing, of: announced) { return difference }
            requests += 1
        }
        return next == recorded.count ? nil : "\(recorded.count - next) recorded steps were not made"
    }

    /// Whether report number `index` says something else than what is missing.
    private func disagreement(of index: Int, _ missing: Set<Int>, of total: Int) -> String? {
        guard reports.indices.contains(index) else {
            // The library's verifier ends a session in which more than 70 % is missing.
            return Double(missing.count) > 0.7 * Double(total) ? nil : "no report, though \(missing.count) are missing"
        }
        switch WalletReport(reports[index]) {
        case .success: return missing.isEmpty ? nil : "SUCCESS without \(missing.sorted())"
        case .missing(let listed):
            let wanted = Array(missing.sorted().prefix(listed.count))
            return !listed.isEmpty && listed == wanted ? nil : "report of \(listed), missing are \(missing.sorted())"
        case nil: return "an unknown report"
        }
    }

    /// The number of the chunk that the step writes.
    private static func chunk(_ step: Step) -> Int? {
        guard case .write(WalletCharacteristic.submitResponse.rawValue, let value, _) = step, value.count > 4 else {
            return nil
        }
        return Int(value[0]) << 8 | Int(value[1])
    }

    /// Whether one is the other as the air left it: the same chunk with other bytes behind its number.
    private static func isDamaged(_ sent: Step, as heard: Step) -> Bool {
        guard case .write(let a, let sent, let with) = sent, case .write(let b, let heard, with) = heard else {
            return false
        }
        return a == b && sent.count == heard.count && sent.starts(with: heard.prefix(2)) && sent != heard
    }
}
