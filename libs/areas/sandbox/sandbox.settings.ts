import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface SandboxSettings {
  /** The highest `memory_limit_mb`. */
  readonly memoryMbMax: number;
  /** The highest `gas_limit`. */
  readonly fuelMax: number;
  /** The longest that a module may compile and run. */
  readonly wallMsMax: number;
  /** Runs at once, of all accounts and of one. */
  readonly runsMax: number;
  readonly runsPerAccountMax: number;
}

export const SANDBOX_SETTINGS = Symbol('SandboxSettings');

export const sandboxSettings = defineSettings({
  token: SANDBOX_SETTINGS,
  variables: {
    QUIPU_WASM_MEMORY_MB_MAX: variable(
      wholeNumber(1, 4_096).default(256),
      'the highest memory_limit_mb of a WebAssembly module',
    ),
    QUIPU_WASM_GAS_MAX: variable(
      wholeNumber(1, 1_000_000_000_000_000).default(20_000_000_000),
      'the highest gas_limit of a WebAssembly module',
    ),
    QUIPU_WASM_SECONDS: variable(
      wholeNumber(1, 600).default(20),
      'the longest that a WebAssembly module may compile and run',
    ),
    QUIPU_WASM_RUNS: variable(
      wholeNumber(1, 1_000).default(12),
      'WebAssembly modules that run at once for this process, here or on workers',
    ),
    QUIPU_WASM_RUNS_PER_ACCOUNT: variable(
      wholeNumber(1, 1_000).default(4),
      'of these, for one account; as many more run for accounts that have none',
    ),
  },
  read: (values): SandboxSettings => ({
    memoryMbMax: values.QUIPU_WASM_MEMORY_MB_MAX,
    fuelMax: values.QUIPU_WASM_GAS_MAX,
    wallMsMax: values.QUIPU_WASM_SECONDS * 1_000,
    runsMax: values.QUIPU_WASM_RUNS,
    runsPerAccountMax: values.QUIPU_WASM_RUNS_PER_ACCOUNT,
  }),
});

/** Until a thread has started, and for an end by force. */
const START_MS = 10_000;

/** The longest wait for a turn. */
export const TURN_MS_MAX = 10_000;

/** The longest a request may take. */
export const requestMsMaxOf = ({ wallMsMax }: SandboxSettings): number =>
  TURN_MS_MAX + wallMsMax + START_MS;
