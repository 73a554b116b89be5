import Store

extension ConnectFailure {
    /// Creates the failure from an error: of the reading of an invitation, of a link, of the store or any other.
    init(_ error: any Error) {
        switch error {
        case let failure as ConnectFailure: self = failure
        case let failure as InvitationReader.Failure:
            self.init(failure.text, remedy: failure.remedy, line: failure.remedy)
        case let failure as AgentLinks.Failure: self.init(failure.text, remedy: failure.remedy, line: failure.remedy)
        case let failure as StoreError: self.init(failure.text, remedy: failure.remedy)
        default: self.init("\(error)", remedy: "see the service's log", line: "\(error)")
        }
    }
}
