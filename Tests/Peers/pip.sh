# shellcheck shell=bash
# Sourced by what makes Python environments.

# pip_install ENVIRONMENT WORD...: what PyPI has comes into an environment; tried three times, as PyPI may be away for a moment. Status 1
# when it is not to be had.
pip_install() {
    local environment="$1" pause
    shift
    for pause in 5 20 0; do
        "$environment/bin/pip" install --quiet --disable-pip-version-check --retries 5 --timeout 60 "$@" >&2 && return 0
        sleep "$pause"
    done
    return 1
}
