import Encoding

@testable import Simulation

/// A scripted host on a virtual radio, run in virtual time.
struct Rig {
    var radio: VirtualRadio
    var host: ScriptedHost
    var now = Instant.zero
    var seen: [(at: Instant, visit: Int, event: PhoneEvent)] = []
    var violations: [VirtualController.Violation] = []
    var steps = 0

    init(_ visits: [Visit], controller: ControllerTraits = ControllerTraits(), seed: UInt64 = 1) throws {
        radio = VirtualRadio(controller: controller, visits: visits, seed: seed)
        host = try ScriptedHost()
    }

    /// Runs until all visits are over, but at most for `limit`; returns whether they are over.
    @discardableResult
    mutating func run(atMost limit: Duration = .seconds(600)) -> Bool {
        let end = now.advanced(by: limit)
        toRadio(host.start(at: now))
        while !radio.isFinished {
            guard let next = [radio.deadline, host.deadline].compactMap({ $0 }).min(), next <= end else { return false }
            now = max(now, next)
            steps += 1
            if let due = host.deadline, due <= now { toRadio(host.timer(at: now)) }
            fromRadio(radio.handle(.timer, at: now))
        }
        return true
    }

    private mutating func toRadio(_ outputs: [ScriptedHost.Output]) {
        for output in outputs {
            switch output {
            case .toController(let packet): fromRadio(radio.handle(.fromHost(packet), at: now))
            case .invitation(let uri): fromRadio(radio.handle(.invitation(uri), at: now))
            case .received: break
            }
        }
    }

    private mutating func fromRadio(_ actions: [VirtualRadio.Action]) {
        for action in actions {
            switch action {
            case .toHost(let packet): toRadio(host.receive(packet, at: now))
            case .observed(let visit, let event): seen.append((now, visit, event))
            case .violation(let violation): violations.append(violation)
            }
        }
    }

    func events(of visit: Int) -> [PhoneEvent] { seen.filter { $0.visit == visit }.map(\.event) }

    func time(_ visit: Int, _ matches: (PhoneEvent) -> Bool) -> Instant? {
        seen.first { $0.visit == visit && matches($0.event) }?.at
    }
}

/// Returns a record of about `bytes` bytes that does not compress well, with keys made from `seed`.
func submission(bytes: Int, seed: UInt64 = 3) -> WalletSubmission {
    var random = SplitMix64(seed: seed)
    let record = Array(("{\"a\":\"" + Hex.encode(random.bytes(bytes)) + "\"}").utf8)
    return .seal(record: record, privateKey: random.bytes(32), nonce: random.bytes(12))
}
