import Crypto
import Encoding
import TestKit
import Testing

@testable import Simulation

/// The recorded sessions of the real wallets, replayed through our wallet: it has to do what they did, byte by byte.
@Suite struct WalletSessionVectorTests {
    /// What the wallet's side of a recording consists of.
    enum Step: Equatable {
        case requestMTU(Int)
        case register(String, Bool)
        case write(String, [UInt8], withResponse: Bool)
        case disconnect
    }

    /// First-pass chunks that the recording's description says were lost on the air.
    private static let lost: [String: @Sendable (Int) -> Bool] = [
        "s05-android-drop": { $0 % 3 == 0 }, "s09-android-toomany": { $0 % 5 != 0 },
        "s12-ios-drop": { $0 % 4 == 1 },
    ]

    /// First-pass chunks that were damaged on the air, with the byte that was changed by one bit or more.
    private static let damaged: [String: Set<Int>] = ["s06-android-corrupt": [2, 4]]

    @Test func sessions() throws {
        guard let folder = Vectors.path("tuvali/sessions") else { return }
        var tally = VectorTally("tuvali/sessions")
        for file in Vectors.files(in: folder, withExtension: "json") {
            let session = try JSON.parse(Vectors.bytes(file))
            tally.record(session.text("id"), replay(session))
        }
        #expect(tally.finish() == [])
    }

    private func replay(_ session: JSON) -> String? {
        let steps = session["steps"]?.array ?? []
        let id = session.text("id")
        let manner: WalletManner = id.contains("ios") ? .ios : .android
        guard let advertised = steps.first, advertised.text("op") == "advertise",
            let invitation = WalletInvitation(session.text("uri"), platform: manner.platform),
            let key = WalletScan.match(
                Advertiser(
                    address: DeviceAddress(bytes: [], isRandom: true), data: advertised.hex("adv"),
                    scanResponse: advertised.hex("rsp"), interval: .zero), invitation)
        else { return "no match on the air" }
        let own = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: session.hex("verifier_private"))
        guard let own, key == Array(own.publicKey.rawRepresentation) else { return "another key" }

        let wanted = recorded(steps, manner)
        let identify = value(of: .identify, in: steps).first ?? []
        let encrypted = reassemble(session, steps)
        let wallet = WalletSession(
            manner: manner, submission: .recorded(identify: identify, encrypted: encrypted), verifierKey: key)
        let (done, progress) = run(wallet, steps, isIOS: manner.platform == .ios)
        let heard = afterTheAir(done, id)
        if let difference = compare(heard, wanted, damaged: Self.damaged[id] ?? []) { return difference }
        let events = session["wallet_events"]?.array?.compactMap { $0.array?.first?.string?.string } ?? []
        return events == eventNames(progress) ? nil : "events \(events) but \(eventNames(progress))"
    }

    private func recorded(_ steps: [JSON], _ manner: WalletManner) -> [Step] {
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

    /// The ciphertext: what arrived last under each number; zeros where nothing did (the wallet gave up before).
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

    /// Drives the wallet with the verifier's side of the recording.
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
                    guard let characteristic = WalletCharacteristic(rawValue: next.text("char")),
                        registered.contains(characteristic)
                    else { break }
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
                }
            }
        }
        return (done, progress)
    }

    /// What is left of the wallet's writes when the air has taken its share of the first pass.
    private func afterTheAir(_ done: [Step], _ id: String) -> [Step] {
        guard let isLost = Self.lost[id] else { return done }
        var isFirstPass = true
        return done.filter { step in
            guard case .write(let characteristic, let value, _) = step else { return true }
            if characteristic == WalletCharacteristic.transferReportRequest.rawValue { isFirstPass = false }
            guard characteristic == WalletCharacteristic.submitResponse.rawValue, isFirstPass else { return true }
            return !isLost(Int(value[0]) << 8 | Int(value[1]))
        }
    }

    private func compare(_ done: [Step], _ wanted: [Step], damaged: Set<Int>) -> String? {
        guard done.count == wanted.count else { return "\(done.count) steps, recorded \(wanted.count)" }
        var toDamage = damaged
        for (index, (ours, theirs)) in zip(done, wanted).enumerated() where ours != theirs {
            // The air's damage is the only excuse, once for each chunk, in exactly one byte.
            guard case .write(let a, let sent, _) = ours, case .write(let b, let heard, _) = theirs, a == b,
                sent.count == heard.count, sent[..<2] == heard[..<2],
                zip(sent, heard).filter({ $0 != $1 }).count == 1,
                toDamage.remove(Int(sent[0]) << 8 | Int(sent[1])) != nil
            else { return "step \(index) differs" }
        }
        return toDamage.isEmpty ? nil : "chunks \(toDamage) were not damaged"
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
