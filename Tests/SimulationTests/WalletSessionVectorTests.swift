import Crypto
import Encoding
import TestKit
import Testing

@testable import Simulation

/// Replays the recorded sessions of the real wallets through the simulated wallet, which must send the same bytes.
@Suite struct WalletSessionVectorTests {
    /// A step of the wallet's side of a recording.
    enum Step: Equatable {
        case requestMTU(Int)
        case register(String, Bool)
        case write(String, [UInt8], withResponse: Bool)
        case disconnect
    }

    @Test func sessions() throws {
        guard let folder = Vectors.path("tuvali/sessions") else { return }
        var tally = VectorTally("tuvali/sessions")
        for file in Vectors.files(in: folder, withExtension: "json") {
            let session = try JSON.parse(Vectors.bytes(file))
            tally.record(session.text("id"), replay(session))
        }
        #expect(tally.finish() == [])
    }

    /// A write that is missing in a recording counts as lost on the air only if the verifier's report names it.
    @Test func aRecordingThatLacksAWriteIsNoticed() throws {
        guard let folder = Vectors.path("tuvali/sessions") else { return }
        for file in Vectors.files(in: folder, withExtension: "json") {
            let session = try JSON.parse(Vectors.bytes(file))
            let steps = session["steps"]?.array ?? []
            let chunks = steps.indices.filter {
                steps[$0].text("op") == "write"
                    && steps[$0].text("char") == WalletCharacteristic.submitResponse.rawValue
            }
            guard session["received"]?.bool == true, let last = chunks.last else { continue }
            #expect(replay(session, steps: steps) == nil)
            var poorer = steps
            poorer.remove(at: last)
            #expect(replay(session, steps: poorer) != nil, "\(session.text("id"))")
            var twice = steps
            twice.insert(steps[last], at: last)
            #expect(replay(session, steps: twice) == nil, "\(session.text("id")): the air said it twice")
        }
    }

    private func replay(_ session: JSON) -> String? { replay(session, steps: session["steps"]?.array ?? []) }

    private func replay(_ session: JSON, steps: [JSON]) -> String? {
        // Only an Android wallet requests an MTU by itself.
        let manner: WalletBehaviour = steps.contains { $0.text("op") == "request_mtu" } ? .android : .ios
        guard let advertised = steps.first, advertised.text("op") == "advertise",
            let invitation = WalletInvitation(session.text("uri"), platform: manner.platform),
            let key = WalletScan.match(
                Advertiser(
                    address: DeviceAddress(bytes: [], isRandom: true), data: advertised.hex("adv"),
                    scanResponse: advertised.hex("rsp"), interval: .zero), invitation)
        else { return "no match on the air" }
        let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: session.hex("verifier_private"))
        guard let own, key == Array(own.publicKey.rawRepresentation) else { return "another key" }

        let identify = value(of: .identify, in: steps).first ?? []
        let encrypted = reassemble(session, steps)
        let wallet = WalletSession(
            manner: manner, submission: .recorded(identify: identify, encrypted: encrypted), verifierKey: key)
        let (done, progress) = run(wallet, steps, isIOS: manner.platform == .ios)
        let reports = steps.filter {
            $0.text("op") == "notify" && $0.text("char") == WalletCharacteristic.transferReportResponse.rawValue
        }.map { $0.hex("data") }
        let air = ReplayedAir(recorded: recorded(steps, manner), reports: reports)
        if let difference = air.difference(from: done) { return difference }
        let events = session["wallet_events"]?.array?.compactMap { $0.array?.first?.string?.string } ?? []
        return events == eventNames(progress) ? nil : "events \(events) but \(eventNames(progress))"
    }

    private func recorded(_ steps: [JSON], _ manner: WalletBehaviour) -> [Step] {
        steps.compactMap { step in
            switch (step.text("dir"), step.text("op")) {
            case ("w>v", "request_mtu"): .requestMTU(step.number("mtu"))
            case ("w", "local_notify"), ("w>v", "cccd"):
                .register(step.text("char"), step["enable"]?.bool == true)
            case ("w>v", "write"):
                .write(step.text("char"), step.hex("data"), withResponse: step["response"]?.bool == true)
            case ("w>v", "disconnect"): .disconnect
            default: nil
            }
        }
    }

    private func value(of characteristic: WalletCharacteristic, in steps: [JSON]) -> [[UInt8]] {
        steps.filter { $0.text("op") == "write" && $0.text("char") == characteristic.rawValue }.map { $0.hex("data") }
    }

    /// Returns the ciphertext: for each chunk number the bytes received last, or zeros if none arrived (the wallet gave
    /// up before).
    private func reassemble(_ session: JSON, _ steps: [JSON]) -> [UInt8] {
        let size = value(of: .responseSize, in: steps).first?.reduce(0) { $0 << 8 | Int($1) } ?? 0
        let stride = session.number("max_data_bytes") - 4
        var data = [UInt8](repeating: 0, count: size)
        for chunk in value(of: .submitResponse, in: steps) {
            let start = ((Int(chunk[0]) << 8 | Int(chunk[1])) - 1) * stride
            data.replaceSubrange(start..<start + chunk.count - 4, with: chunk[4...])
        }
        return data
    }

    /// Runs the wallet against the verifier's side of the recording.
    private func run(_ start: WalletSession, _ steps: [JSON], isIOS: Bool) -> ([Step], [WalletProgress]) {
        var (wallet, now) = (start, Instant.zero)
        var mtus = steps.filter { $0.text("op") == "mtu" }.map { $0.number("mtu") }
        var notified = steps.filter { $0.text("dir") == "v>w" && $0.text("op") == "notify" }
        var (done, progress, registered) = ([Step](), [WalletProgress](), Set<WalletCharacteristic>())
        var events: [WalletSession.Event] = [.connected]
        if isIOS, !mtus.isEmpty { events.append(.mtu(mtus.removeFirst())) }
        for _ in 0..<100_000 {
            if events.isEmpty {
                if let due = wallet.deadline {
                    now = due
                    events.append(.timer)
                } else if !notified.isEmpty {
                    let next = notified.removeFirst()
                    guard let characteristic = WalletCharacteristic(rawValue: next.text("char")) else { break }
                    // The wallet does not receive values of a characteristic for which it is not registered.
                    guard registered.contains(characteristic) else { continue }
                    events.append(.value(characteristic, next.hex("data")))
                } else {
                    break
                }
            }
            for action in wallet.handle(events.removeFirst(), at: now) {
                switch action {
                case .discoverServices: events.append(.services(found: true))
                case .requestMTU(let mtu):
                    done.append(.requestMTU(mtu))
                    events.append(.mtu(mtus.isEmpty ? nil : mtus.removeFirst()))
                case .register(let characteristic, let isOn):
                    if isOn { registered.insert(characteristic) } else { registered.remove(characteristic) }
                    done.append(.register(characteristic.rawValue, isOn))
                case .write(let characteristic, let value, let withResponse):
                    done.append(.write(characteristic.rawValue, value, withResponse: withResponse))
                    events.append(.written(characteristic, succeeded: true))
                case .disconnect:
                    done.append(.disconnect)
                    events = [.disconnected]
                case .progress(let what): progress.append(what)
                case .close: break
                }
            }
        }
        return (done, progress)
    }

    private func eventNames(_ progress: [WalletProgress]) -> [String] {
        progress.compactMap { step -> String? in
            switch step {
            case .mtu: "ConnectedEvent"
            case .identified: "SecureChannelEstablishedEvent"
            case .delivered: "DataSentEvent"
            case .verdict: "VerificationStatusEvent"
            default: nil
            }
        } + ["DisconnectedEvent"]
    }
}
