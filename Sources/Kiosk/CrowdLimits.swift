/// How long a phone keeps its place while the table is full and another one comes. As long as there is room none of this counts.
package struct CrowdLimits: Hashable, Sendable {
    /// From the connection to the first word: phones begin to ask what there is as soon as they are connected.
    package var mute: Duration = .seconds(1)
    /// The same for a phone of a kind that keeps coming and says nothing.
    package var suspectMute: Duration = .milliseconds(500)
    /// From the connection to Identify: an Android phone on a slow link needs two seconds for discovery and MTU, and more than four
    /// where a third of the packets are lost.
    package var unidentified: Duration = .seconds(6)
    /// From Identify to the response size: a person chooses.
    package var choosing: Duration = .seconds(30)
    /// The same for a phone of a kind that keeps choosing and brings nothing.
    package var suspectChoosing: Duration = .seconds(10)
    /// From the verdict on: a wallet leaves as soon as it has heard it, and slow ones hear the second or third.
    package var told: Duration = .seconds(2)
    /// A transfer brings at least one chunk in so many connection intervals, over its whole time: a third of what the slowest
    /// phones do on the same link (a packet of 27 bytes four times in each interval).
    package var intervalsPerChunk = 32
    /// The same for a phone of a kind that keeps bringing nothing.
    package var suspectIntervalsPerChunk = 12
    /// The longest connection interval that this is reckoned with: a phone chooses it, up to 4 s, and Android's slowest is 125 ms.
    package var longestInterval: Duration = .milliseconds(125)
    /// What a transfer may be behind that at any time: a repair round, a stack that stalls. Nobody earns more in advance.
    package var slack: Duration = .seconds(5)
    /// The same for a phone of a kind that keeps bringing nothing.
    package var suspectSlack: Duration = .milliseconds(500)

    /// The documented defaults.
    package init() {}
}
