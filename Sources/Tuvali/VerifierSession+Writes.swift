import Encoding

/// Handles the wallet's writes (`docs/protocols/tuvali.md`).
extension VerifierSession {
    /// Handles a write to any characteristic. Only writes to the four characteristics that wallets use have an effect.
    mutating func write(
        _ value: [UInt8], to characteristic: Characteristic, _ now: Instant, _ actions: inout [SessionAction]
    ) {
        guard characteristic.isWritable else { return }
        do throws(TuvaliError) {
            switch state {
            case .connected(let key, _):
                if characteristic == .identify { try identify(value, key, now, &actions) }
            case .keyed(let channel, _): try writeKeyed(value, to: characteristic, channel, now, &actions)
            case .receiving: try writeReceiving(value, to: characteristic, now, &actions)
            case .delivered(var delivery):
                try writeDelivered(value, to: characteristic, &delivery, now)
                state = .delivered(delivery)
            case .advertising, .dropping, .ended: break
            }
        } catch {
            fail(error, now, &actions)
        }
    }

    /// Reads the wallet's nonce and key from an Identify value. Like the library, ignores a value of fewer than 44
    /// bytes, and the surplus bytes of a longer value.
    private mutating func identify(
        _ value: [UInt8], _ key: VerifierKey, _ now: Instant, _ actions: inout [SessionAction]
    ) throws(TuvaliError) {
        guard value.count >= SecureChannel.identifyLength else { return }
        guard attMTU >= Self.smallestMTU else { throw .mtuTooSmall(attMTU: attMTU) }
        let channel = try SecureChannel(
            verifierKey: key, identify: Array(value.prefix(SecureChannel.identifyLength)))
        state = .keyed(channel, since: now)
        actions.append(.identified)
    }

    /// Throws if a later Identify differs from the first: two keys in one session are an attack or a fault.
    private func checkRepeatedIdentify(_ value: [UInt8], _ known: [UInt8]) throws(TuvaliError) {
        guard value.count >= SecureChannel.identifyLength else { return }
        guard value.starts(with: known) else { throw .identifiedAgain }
    }

    private mutating func writeKeyed(
        _ value: [UInt8], to characteristic: Characteristic, _ channel: SecureChannel, _ now: Instant,
        _ actions: inout [SessionAction]
    ) throws(TuvaliError) {
        switch characteristic {
        case .identify: try checkRepeatedIdentify(value, channel.identify)
        case .responseSize:
            let size = try announcedSize(value)
            let assembler: Assembler
            do {
                assembler = try Assembler(size: size, maxData: maxData, accepting: settings.acceptedSizes)
            } catch {
                throw .responseSizeOutOfRange(size: error.size)
            }
            transfer = Transfer(channel: channel, assembler: assembler, at: now)
            state = .receiving
            actions.append(.transferStarted(size: assembler.size, totalChunks: assembler.totalChunks))
        case .transferReportRequest:
            switch ReportRequest(value) {
            case .report: throw .reportBeforeSize
            case .walletFailed: throw .walletFailed
            case nil: break
            }
        default: break
        }
    }

    private mutating func writeReceiving(
        _ value: [UInt8], to characteristic: Characteristic, _ now: Instant, _ actions: inout [SessionAction]
    ) throws(TuvaliError) {
        transfer?.heard(at: now)
        switch characteristic {
        case .identify: if let transfer { try checkRepeatedIdentify(value, transfer.channel.identify) }
        case .responseSize:
            let (size, maxData) = (try announcedSize(value), maxData)
            do {
                try transfer?.restart(size: size, maxData: maxData, accepting: settings.acceptedSizes)
            } catch {
                throw .responseSizeOutOfRange(size: error.size)
            }
        case .submitResponse: transfer?.add(value, inflatedLimit: settings.inflatedLimit, &actions)
        case .transferReportRequest:
            switch ReportRequest(value) {
            case .report: try requestReport(now, &actions)
            case .walletFailed: throw .walletFailed
            case nil: break
            }
        default: break
        }
    }

    private mutating func requestReport(_ now: Instant, _ actions: inout [SessionAction]) throws(TuvaliError) {
        guard let transfer else { return }
        let (missing, total) = (transfer.assembler.missingChunks, transfer.assembler.totalChunks)
        let reportAt = now.advanced(by: settings.report.holdBack)
        if missing == 0 {
            try deliver(reportAt: reportAt, now, &actions)
        } else if settings.isTooMany(missing: missing, total: total, retries: transfer.retries) {
            throw .tooManyMissing(missing: missing, total: total)
        } else {
            self.transfer?.report = .due(at: reportAt)
        }
    }

    /// Delivers the payload, or throws the reason why decryption failed. After the delivery, the session accepts no
    /// other transfer.
    mutating func deliver(
        reportAt: Instant, _ now: Instant, _ actions: inout [SessionAction]
    ) throws(TuvaliError) {
        guard let transfer else { return }
        let bytes = try transfer.openedBytes()
        actions.append(.payload(TransferredPayload(bytes: bytes, statistics: transfer.statistics)))
        replace(
            .delivered(
                Delivery(
                    identify: transfer.channel.identify, success: reportAt,
                    limit: now.advanced(by: settings.verdictLimit), settings)))
    }

    private func writeDelivered(
        _ value: [UInt8], to characteristic: Characteristic, _ delivery: inout Delivery, _ now: Instant
    ) throws(TuvaliError) {
        switch characteristic {
        case .identify: try checkRepeatedIdentify(value, delivery.identify)
        case .responseSize: throw .secondTransfer
        case .transferReportRequest where ReportRequest(value) == .report:
            delivery.success = now.advanced(by: settings.report.holdBack)
        default: break
        }
    }

    /// Reads the announced number of encrypted bytes. The stride of the transfer follows from the link's MTU at the
    /// time of the write.
    private func announcedSize(_ value: [UInt8]) throws(TuvaliError) -> Int {
        var reader = ByteReader(value)
        guard let size = try? reader.uint32BE() else { throw .malformedSize(length: value.count) }
        return Int(size)
    }

    /// The maximum size of a value in one write or notification. Both sides use at most 512 bytes of MTU.
    var maxData: Int { min(attMTU, 512) - 3 }
}

/// The values of a transfer report request. Other values and surplus bytes are ignored.
enum ReportRequest: UInt8 {
    case report = 1
    case walletFailed = 2

    init?(_ value: [UInt8]) {
        guard let first = value.first else { return nil }
        self.init(rawValue: first)
    }
}
