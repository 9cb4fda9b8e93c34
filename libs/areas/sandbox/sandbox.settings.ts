import { defineSettings, variable, wholeNumber } from '#platform/runtime/settings.js';

export interface SandboxSettings {
  /** The highest `memory_limit_mb`. */
  readonly memoryMbMax: number;
  /** The highest `gas_limit`. */
  readonly fuelMax: number;
  /** The longest that a module may compile and run. */
  readonly wallMsMax: number;
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
  },
  read: (values): SandboxSettings => ({
    memoryMbMax: values.QUIPU_WASM_MEMORY_MB_MAX,
    fuelMax: values.QUIPU_WASM_GAS_MAX,
    wallMsMax: values.QUIPU_WASM_SECONDS * 1_000,
  }),
});

/** Until a thread has started, and for an end by force. */
const START_MS = 10_000;

/** The longest a request may take. */
export const requestMsMaxOf = ({ wallMsMax }: SandboxSettings): number => wallMsMax + START_MS;
