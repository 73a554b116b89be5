/// What displays say to visitors.
package enum DisplayPhrase: CaseIterable, Sendable {
    /// What to do with the code that is shown.
    case scan
    /// The same where the code is on another display.
    case scanBeside
    /// There is no code yet.
    case wait
    /// A visitor chooses what to show; behind the visit's name.
    case choosing
    /// It is being verified; behind the visit's name.
    case checking
    /// Go.
    case accepted
    /// Stop.
    case rejected
    /// Nothing arrived that could be judged.
    case failed
    /// Nobody can be served.
    case outOfOrder
    /// The program has ended in order.
    case outOfService
    /// The gate is locked down.
    case closed
    /// Everybody may pass.
    case freePassage
}

/// The language of a display or a voice, by its code of ISO 639-1.
package enum DisplayLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case french = "fr"
    case hindi = "hi"

    /// The phrase, whose words ``BitmapFont`` or ``DevanagariWords`` can draw.
    package func text(_ phrase: DisplayPhrase) -> String {
        switch self {
        case .english: english(phrase)
        case .french: french(phrase)
        case .hindi: hindi(phrase)
        }
    }

    private func english(_ phrase: DisplayPhrase) -> String {
        switch phrase {
        case .scan: "Scan with your wallet"
        case .scanBeside: "Scan the code beside this"
        case .wait: "Please wait"
        case .choosing: "choosing"
        case .checking: "checking"
        case .accepted: "ACCEPTED"
        case .rejected: "REJECTED"
        case .failed: "Try again"
        case .outOfOrder: "OUT OF ORDER"
        case .outOfService: "Out of service"
        case .closed: "CLOSED"
        case .freePassage: "Free passage"
        }
    }

    private func french(_ phrase: DisplayPhrase) -> String {
        switch phrase {
        case .scan: "Scannez avec votre portefeuille"
        case .scanBeside: "Scannez le code à côté"
        case .wait: "Veuillez patienter"
        case .choosing: "choisit"
        case .checking: "vérification"
        case .accepted: "ACCEPTÉ"
        case .rejected: "REFUSÉ"
        case .failed: "Réessayez"
        case .outOfOrder: "EN PANNE"
        case .outOfService: "Hors service"
        case .closed: "FERMÉ"
        case .freePassage: "Passage libre"
        }
    }

    /// "Enter" and "stop", as the words for accepted and rejected differ by one letter.
    private func hindi(_ phrase: DisplayPhrase) -> String {
        switch phrase {
        case .scan: "वॉलेट से स्कैन करें"
        case .scanBeside: "पास का कोड स्कैन करें"
        case .wait: "कृपया प्रतीक्षा करें"
        case .choosing: "चुन रहे हैं"
        case .checking: "जाँच जारी"
        case .accepted: "प्रवेश करें"
        case .rejected: "रुकिए"
        case .failed: "फिर कोशिश करें"
        case .outOfOrder: "मशीन ख़राब है"
        case .outOfService: "सेवा बंद है"
        case .closed: "द्वार बंद है"
        case .freePassage: "द्वार खुला है"
        }
    }
}
