/// The waits between failing attempts. The first wait is doubled with each further failure, up to the longest
/// wait.
package enum DoublingWait {
    /// Returns the wait after a failure that came after `failures` earlier failures in a row.
    package static func after(_ failures: Int, first: Duration, longest: Duration) -> Duration {
        min(first * (1 << min(failures, 30)), longest)
    }
}
