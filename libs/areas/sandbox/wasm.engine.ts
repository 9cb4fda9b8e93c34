import { METER_VERSION } from '#engines/wasm/metering/fuel-costs.js';
import { readingFuelOf, startFuelMaxOf } from '#engines/wasm/metering/work-costs.js';
import { OUTPUT_BYTES_MAX, WasmEnd, WasmTask } from '#engines/wasm/wasm.protocol.js';
import { z } from 'zod';
import { defineEngine, type Engine } from '#platform/tasks/engine.js';

export { METER_VERSION, OUTPUT_BYTES_MAX, readingFuelOf, startFuelMaxOf, WasmEnd, WasmTask };

/** The engine's own codes, as `wasm.errors.ts` lists them. */
const FAILURES = {
  module_invalid: 'final',
  module_refused: 'final',
  entry_point_missing: 'final',
  entry_point_unsupported: 'final',
  arguments_invalid: 'final',
  closed: 'elsewhere',
} as const;

/** Modules that run in threads of this process. */
export interface OpenModules {
  /** An error of a module has a code. */
  run(task: WasmTask, signal: AbortSignal): Promise<WasmEnd>;
  /** Modules that run now. */
  readonly running: number;
  /** Fuel of all runs. */
  readonly fuel: number;
  close(): Promise<void>;
}

/** The first run starts a thread. */
export const openModules = async (): Promise<OpenModules> => {
  const { WasmEngine } = await import('#engines/wasm/wasm.engine.js');
  return new WasmEngine();
};

/** WebAssembly modules: one run is one task, in a thread of its own. */
export const wasmEngine = defineEngine<WasmTask, never, WasmEnd>({
  name: 'wasm',
  input: WasmTask,
  piece: z.never(),
  end: WasmEnd,
  tasksMax: { worker: 8, inProcess: 16 },
  failures: FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async (): Promise<Engine<WasmTask, never, WasmEnd>> => {
    const modules = await openModules();
    return {
      async *run(task, signal) {
        return modules.run(task, signal);
      },
      status: () => ({ ready: true, reasons: [], facts: { modules: modules.running } }),
      counts: () => [
        {
          name: 'quipu_worker_wasm_fuel_total',
          help: 'Fuel of the WebAssembly modules that were run.',
          total: modules.fuel,
        },
      ],
      close: () => modules.close(),
    };
  },
});
