/// Waits between attempts that fail: the first one, doubled with each further failure, up to the longest.
enum DoublingWait {
    /// The wait after a failure, with so many before it.
    static func after(_ failures: Int, first: Duration, longest: Duration) -> Duration {
        min(first * (1 << min(failures, 30)), longest)
    }
}
