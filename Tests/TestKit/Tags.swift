package import Testing

/// What a test needs from the machine. The steps of `Tests/TestSteps` choose by these tags which tests run
/// together.
///
/// A test without one of these tags is deterministic: it computes, or uses files and sockets of its own
/// without a time limit. Its failure is therefore a fault.
extension Tag {
    /// A test that waits for real time or measures it: threads, processes and sockets with time limits. Each
    /// process runs one such test at a time. A failed one is a measurement and is repeated alone.
    @Tag package static var realTime: Self
    /// A test that is deterministic although its suite is tagged ``realTime``: its failure is final.
    @Tag package static var exact: Self
    /// A test that talks to a real Aries agent. Such tests wait most of their time, so one of the processes
    /// starts with them.
    @Tag package static var agents: Self
    /// A test that models disks, or runs crowds against the program itself: few tests that compute for a long
    /// time.
    @Tag package static var models: Self
    /// A test that runs in `make nightly` only: a repetition with other versions or with many more cases.
    @Tag package static var nightly: Self
}
