#!/bin/sh
# Starts the process that the first argument names, in place of this shell, so that signals reach it.
set -eu

app=$(dirname "$0")/..
process=${1:-standalone}
[ $# -eq 0 ] || shift

case $process in
  standalone | gateway | projector | worker | event-store)
    # A container keeps its host name over restarts, and so its topic of replies.
    export QUIPU_INSTANCE="${QUIPU_INSTANCE:-$process-$(hostname)}"
    # glibc makes an arena for each thread, which keeps what its thread has freed.
    export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}"
    exec node --enable-source-maps --max-semi-space-size=16 --initial-old-space-size=96 --heap-growing-percent=60 --no-allocation-site-pretenuring "$app/bundle/apps/processes/$process.main.js" "$@"
    ;;
  quipu)
    exec node --enable-source-maps "$app/bundle/apps/cli/main.js" "$@"
    ;;
  *)
    echo "there is no process $process: standalone, gateway, projector, worker, event-store, quipu" >&2
    exit 2
    ;;
esac
