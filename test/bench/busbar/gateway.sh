#!/usr/bin/env bash
# Quipu as a gateway of GetBusbar/benchmarking: its runners source gateways/quipu/gateway.sh, a copy
# of this file, and call the functions without a leading underscore. GW_SRC names a checkout of
# Quipu. The runners set GW_DIR, MOCK_PORT and CORES.
GW_KIND=native
GW_DISPLAY=Quipu
GW_LANG=Node
GW_CLASS='Auditable compute and inference gateway'
GW_REPO="${GW_REPO:-}"
GW_PORT="${GW_PORT:-8090}"
GW_PATH=/v1/chat/completions
GW_MODEL=openai/gpt-4o-mini
GW_MATRIX_EGRESS=openai
# Quipu draws the key of an account, so a launch sets it.
GW_AUTH=

_quipu_home() { echo "$GW_DIR/home"; }

# For a subshell: the home and the catalog of Quipu, and the Node of the checkout.
_quipu_environment() {
  export QUIPU_HOME QUIPU_CATALOG PORT="$GW_PORT" PATH="$GW_SRC/node_modules/.bin:$PATH"
  QUIPU_HOME="$(_quipu_home)"
  QUIPU_CATALOG="$(_quipu_home)/catalog.yaml"
}

_quipu_cli() (
  _quipu_environment
  exec node "$GW_SRC/bundle/apps/cli/main.js" "$@" --json
)

# The mock may be asked by more connections than the default of a rig allows.
_quipu_catalog() {
  cat <<YAML
rigs:
  - name: mock
    kind: openai
    base_url: http://127.0.0.1:$MOCK_PORT/v1
    max_concurrency: 10000
models:
  - id: $GW_MODEL
    upstream_id: gpt-4o-mini
    owned_by: openai
    rigs: [mock]
    context: 128000
    max_output: 16384
    price: { input_usd_per_mtok: 0.15, output_usd_per_mtok: 0.60 }
YAML
}

# An account with more credit than a run can spend. Every request holds and charges it.
_quipu_account() {
  rm -rf "$(_quipu_home)"
  mkdir -p "$(_quipu_home)"
  _quipu_catalog >"$(_quipu_home)/catalog.yaml"
  local created
  created="$(_quipu_cli user create --username bench --email bench@example.com --role renter)" || return
  GW_AUTH="$(sed -n 's/.*"api_key":"\([^"]*\)".*/\1/p' <<<"$created")"
  _quipu_cli account credit --user bench --usd 1000000 --reason benchmark >/dev/null
}

# The command of `npm start`, on the cores of the run. Nothing of the runner stays open in it.
_quipu_start() {
  (
    exec </dev/null >"$GW_DIR/quipu.log" 2>&1
    cd "$GW_SRC" || exit
    _quipu_environment
    command="$(node -p 'JSON.parse(require("fs").readFileSync("package.json", "utf8")).scripts.start')"
    # shellcheck disable=SC2086 # The command is words.
    exec setsid taskset -c "$CORES" $command
  ) &
}

# Every process of this home: the first one, and the ones that it starts.
_quipu_pids() {
  cut -d/ -f3 < <(grep -lzxF "QUIPU_HOME=$(_quipu_home)" /proc/[0-9]*/environ 2>/dev/null)
}

_quipu_memory() {
  local pid kib total=0
  for pid in $(_quipu_pids); do
    kib="$(sed -n "s/^$1:[[:space:]]*\([0-9]*\) kB$/\1/p" "/proc/$pid/status" 2>/dev/null)"
    total=$((total + ${kib:-0}))
  done
  printf '%d.%d' $((total / 1024)) $((total % 1024 * 10 / 1024))
}

gw_build() {
  [ -f "$GW_SRC/bundle/apps/processes/standalone.main.js" ] && return
  (cd "$GW_SRC" && npm ci && npm run build) >/dev/null
}

gw_version() { _quipu_cli --version; }

# Quipu has no mode without books: each request is authenticated, held and charged.
gw_launch() {
  gw_stop
  _quipu_account && _quipu_start
}

gw_matrix_egress() { [ "$1" = openai ] && gw_launch; }

# The governed lane: beside the books, a budget of a day and limits of requests and tokens a minute,
# which are checked for each request and are too high to trip.
gw_governed_launch() {
  gw_stop
  _quipu_account &&
    _quipu_cli budget set --user bench --usd-per-day 1000000 \
      --requests-per-minute 1000000000 --tokens-per-minute 1000000000000 >/dev/null &&
    _quipu_start
}

gw_governed_token() { echo "$GW_AUTH"; }

gw_rss() { _quipu_memory VmRSS; }
gw_hwm() { _quipu_memory VmHWM; }
gw_diag() { tail -n 20 "$GW_DIR/quipu.log" 2>/dev/null; }

gw_stop() {
  local pids tries
  pids="$(_quipu_pids)"
  [ -n "$pids" ] || return 0
  # shellcheck disable=SC2086 # One id or several.
  kill $pids 2>/dev/null
  for tries in $(seq 1 100); do
    [ -n "$(_quipu_pids)" ] || return 0
    sleep 0.1
  done
  # shellcheck disable=SC2046
  kill -9 $(_quipu_pids) 2>/dev/null
}
