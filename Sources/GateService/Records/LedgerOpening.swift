import Encoding
import Kiosk
import Ledger
import LinuxIO
import Reasons
package import Settings
package import Store
import Synchronization

extension LedgerSection {
    /// Returns the files of the ledger's witness and its key. `environment`: the environment variables. If systemd
    /// provides the credential `gatehouse-witness-key`, that is the key.
    package func witness(_ environment: [String: String]) -> WitnessSource {
        let handedOver = Credential.path("gatehouse-witness-key", environment)
        return WitnessSource(
            path: witness, keyPath: handedOver ?? witnessKey, isHandedOver: handedOver != nil,
            code: Text(ReasonCode.ledgerRewritten.text), restoredCode: Text(ReasonCode.ledgerRestored.text))
    }
}

extension AgentSection {
    /// Returns the files of the key under which the databases store the keys of connections. `environment`: the
    /// environment variables. If systemd provides the credential `gatehouse-agent-key`, that is the key. The
    /// credential `gatehouse-agent-key-old`, the key file and the key file's `.old` file are then earlier keys.
    package func sealing(_ environment: [String: String]) -> SealingSource {
        guard let handedOver = Credential.path("gatehouse-agent-key", environment) else {
            return SealingSource(path: keyFile)
        }
        return SealingSource(
            path: handedOver, isHandedOver: true, oldPaths: [handedOver + "-old", keyFile, keyFile + ".old"])
    }

    /// Returns the warning that the sealing key is in a file that systemd does not protect; nil if systemd provides
    /// the key, or if the file does not exist.
    package func keyNotice(_ environment: [String: String]) -> ConfigurationError.Problem? {
        guard !sealing(environment).isHandedOver, FileBytes.isFile(keyFile) else { return nil }
        return ConfigurationError.Problem(
            key: "agent.keyFile",
            message: "\(keyFile) is not encrypted: a copy of it and of the database contains the keys of the "
                + "connections",
            remedy: "Let systemd hand over gatehouse-agent-key (LoadCredentialEncrypted= in the unit). "
                + "Read the file as the service's account, not as root: root would follow a link.")
    }
}

/// The credentials that systemd provides to the service.
private enum Credential {
    /// Returns the path of the credential `name`; nil if systemd provides none with this name. `environment`: the
    /// environment variables, which name the folder of the credentials.
    static func path(_ name: String, _ environment: [String: String]) -> String? {
        guard let path = environment["CREDENTIALS_DIRECTORY"].map({ "\($0)/\(name)" }), FileBytes.isFile(path) else {
            return nil
        }
        return path
    }
}

/// Opens the ledger with its witness, and logs and reports the result of the comparison.
enum LedgerOpening {
    static func open(
        _ configuration: Configuration, _ environment: [String: String], options: StoreOptions, log: LogSink,
        report: @escaping HealthReporter
    ) async throws(StoreError) -> Store {
        let hasFailed = Mutex(false)
        let (section, sealing) = (configuration.ledger, configuration.agent.sealing(environment))
        let store = try await Store.open(
            section.path, options: options, witness: section.witness(environment), sealing: sealing
        ) { failure in
            let isOver = hasFailed.withLock { failed in
                defer { failed = failure != nil }
                return failed && failure == nil
            }
            if let failure { report(.present(.ledgerWitness, detail: failure.text)) }
            if isOver { report(.over(.ledgerWitness)) }
        }
        switch store.standing {
        case .rewritten(let finding):
            let found = store.found.isEmpty ? "" : "; as it was found: \(store.found.joined(separator: ", "))"
            report(.present(.ledgerRewritten, detail: finding + found))
        case .restored(let finding): report(.present(.ledgerRestored, detail: finding))
        case .unwitnessed(let why): report(.present(.ledgerWitness, detail: why))
        case .new, .adopted, .continued, nil: break
        }
        if !store.removed.isEmpty {
            log.log(
                .warning, "ledger.removed",
                [
                    "files": .array(store.removed.map(JSON.text)),
                    "remedy": .text(
                        "none: the last \(PastDebt.ledgers) replaced ledgers are kept; copy them elsewhere if they "
                            + "matter"
                    ),
                ])
        }
        if !store.givenUp.isEmpty {
            let lost = store.givenUp.map { "\($0.destination): \($0.reports)" }.joined(separator: ", ")
            report(.present(.reportsDropped, detail: "reports of earlier ledgers, at most: \(lost)"))
        }
        if let notice = configuration.agent.keyNotice(environment) { tell(log, notice.message, notice.remedy) }
        tell(store.keysAtRest, log, report)
        return store
    }

    /// Logs and reports the state of the secret keys in a database.
    static func tell(_ keys: KeysAtRest, _ log: LogSink, _ report: HealthReporter) {
        if let fault = keys.fault { report(.present(.agentUnreadable, detail: fault)) }
        if keys.isSiteKeyUnreadable {
            tell(
                log,
                "credentials are named under another key than before, so earlier visitors are not recognised",
                "Restore the key that sealed the database; names under both keys stay in the ledger.")
        }
        if keys.sealed + keys.resealed > 0 {
            log.log(
                .info, "keys", ["sealed": .int(keys.sealed), "resealed": .int(keys.resealed), "by": .text(keys.path)])
        }
        if !keys.copies.isEmpty {
            tell(
                log,
                "replaced files contain unencrypted keys: \(keys.copies.joined(separator: ", "))",
                "Inspect and remove them.")
        }
        if keys.leavesTraces {
            tell(
                log, "replaced keys may still be readable in the database file or its log",
                "Restart the service while nothing else reads the database.")
        }
    }

    private static func tell(_ log: LogSink, _ text: String, _ remedy: String) {
        log.log(.warning, "keys", ["text": .text(text), "remedy": .text(remedy)])
    }
}
