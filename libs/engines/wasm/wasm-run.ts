import { inflateRawSync } from 'node:zlib';
import { entryPointOf, COMMAND_ENTRY, parametersOf } from './entry-point.js';
import { FuelMeter, StopSignal } from './fuel-meter.js';
import { METER_VERSION } from './metering/fuel-costs.js';
import { type MeteredBinary, meterModule, TICK } from './metering/meter-module.js';
import { PAGES_PER_MIB } from './metering/module-limits.js';
import { type FunctionType, MEMORY_KIND } from './metering/module-shape.js';
import { HOST_FUEL, startFuelOf } from './metering/work-costs.js';
import { isRangeError } from './range-error.js';
import { ExitSignal, type WasiOptions, WasiPreview1 } from './wasi/preview1.js';
import { WASI_IMPORTS } from './wasi/preview1-signatures.js';
import { WasmError } from './wasm.errors.js';
import {
  EXIT_CODE,
  OUTPUT_BYTES_MAX,
  type WasmEnd,
  type WasmOutcome,
  type WasmTask,
} from './wasm.protocol.js';
import { writtenResults } from './written-results.js';

/** Uncompressed; a larger module is rejected before this, so this is a guard. */
export const MODULE_BYTES_MAX = 8 * 1_024 * 1_024;

/** Called by runtimes before the first exported function of a module that is no command. */
const REACTOR_ENTRY = '_initialize';

/**
 * Compiles and runs a module in this thread, which it blocks.
 * @param shared one number: the fuel that was spent so far, for the thread that waits
 * @throws WasmError when the module cannot be started
 */
export const runModule = (task: WasmTask, shared: BigInt64Array): WasmEnd => {
  const startedAt = performance.now();
  const isTimeUp = (): boolean => performance.now() - startedAt >= task.wallMsMax;
  const metered = meteredOf(task);
  const { startFuel } = metered;
  const type = entryPointOf(metered.shape, task.entryPoint);
  const parameters = parametersOf(type, task.entryPoint, task.args);
  const compiled = compile(metered.bytes);
  const meter = new FuelMeter(BigInt(task.fuelLimit), shared, isTimeUp);
  const run = new Run(metered, meter, {
    args: [PROGRAM, ...task.args],
    stdin: new TextEncoder().encode(task.stdin),
    outputBytesMax: OUTPUT_BYTES_MAX,
    leftMs: () => startedAt + task.wallMsMax - performance.now(),
  });
  const ended = run.call(compiled, { name: task.entryPoint, type, parameters });
  return { ...ended, startFuel, elapsedMs: performance.now() - startedAt };
};

const PROGRAM = 'module.wasm';

interface StartedBinary extends MeteredBinary {
  readonly startFuel: number;
}

const meteredOf = ({ moduleDeflated, memoryLimitMb }: WasmTask): StartedBinary => {
  const bytes = inflateRawSync(Buffer.from(moduleDeflated, 'base64'), {
    maxOutputLength: MODULE_BYTES_MAX,
  });
  // Names what the sandbox refuses before V8 finds fault with it in words of its own.
  const metered = meterModule(bytes, WASI_IMPORTS, {
    memoryPagesMax: memoryLimitMb * PAGES_PER_MIB,
  });
  compileOriginal(bytes);
  return { ...metered, startFuel: startFuelOf(bytes.length, metered.declared) };
};

/** The meter trusts no module: V8 judges it as it was sent. */
const compileOriginal = (bytes: Uint8Array): void => {
  if (WebAssembly.validate(bytes)) return;
  try {
    new WebAssembly.Module(bytes);
  } catch (error) {
    throw new WasmError('module_invalid', messageOf(error));
  }
};

const compile = (bytes: Uint8Array): WebAssembly.Module => {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    // A function at a limit of V8 exceeds it with the code of the meter.
    throw new WasmError('module_refused', `with its meter, ${messageOf(error)}`);
  }
};

const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replace(/^WebAssembly\.\w+\(\): /, '');

/** Blocks the thread. */
const block = (ms: number): void => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
};

type Ended = Omit<WasmEnd, 'startFuel' | 'elapsedMs'>;

interface RunOptions extends Omit<WasiOptions, 'sleep' | 'spend'> {
  /** Of the time of the run. */
  readonly leftMs: () => number;
}

interface Entry {
  readonly name: string;
  readonly type: FunctionType;
  readonly parameters: readonly (number | bigint)[];
}

class Run {
  readonly #wasi: WasiPreview1;
  #instance: WebAssembly.Instance | undefined;

  constructor(
    private readonly metered: MeteredBinary,
    private readonly meter: FuelMeter,
    private readonly options: RunOptions,
  ) {
    this.#wasi = new WasiPreview1({ ...options, sleep: this.#sleep, spend: this.#spend });
  }

  call(compiled: WebAssembly.Module, { name, type, parameters }: Entry): Ended {
    try {
      this.#start(compiled, name);
      const returned = this.#invoke(name, parameters);
      this.#wasi.stdout.write(new TextEncoder().encode(writtenResults(type, returned)));
      return this.#ended('completed', 0, null);
    } catch (error) {
      return this.#failed(error);
    }
  }

  /** Instantiates the module and runs what must run before its entry point. */
  #start(compiled: WebAssembly.Module, entryPoint: string): void {
    const imports = { ...this.#wasi.imports(), [TICK.module]: { [TICK.name]: this.meter.tick } };
    const instance = new WebAssembly.Instance(compiled, imports);
    this.#instance = instance;
    const { memory } = instance.exports;
    this.#wasi.memory.attach(memory instanceof WebAssembly.Memory ? memory : undefined);
    this.#global(this.metered.names.fuel).value = this.meter.initial;
    if (this.metered.names.startup !== null) this.#invoke(this.metered.names.startup, []);
    const isReactor = entryPoint !== COMMAND_ENTRY && REACTOR_ENTRY in instance.exports;
    if (isReactor && entryPoint !== REACTOR_ENTRY) this.#invoke(REACTOR_ENTRY, []);
  }

  #invoke(name: string, parameters: readonly (number | bigint)[]): unknown {
    const entry = this.#instance?.exports[name];
    if (typeof entry !== 'function') throw new Error(`the module lost its export ${name}`);
    return (entry as (...numbers: readonly (number | bigint)[]) => unknown)(...parameters);
  }

  /** Counts work of the host as the module counts its own: its counter is in its global. */
  readonly #spend = (fuel: number): void => {
    const global = this.#global(this.metered.names.fuel);
    const counter = (global.value as bigint) + BigInt(fuel);
    global.value = counter < 0n ? counter : this.meter.tick(counter);
  };

  /** Pays for the time first. @throws StopSignal when the fuel is spent or the time is up */
  readonly #sleep = (ms: number): void => {
    const left = Math.max(0, this.options.leftMs());
    const waited = Math.min(ms, left);
    this.#spend(Math.ceil(waited * HOST_FUEL.waitedMs));
    block(waited);
    if (ms >= left) throw new StopSignal('timed_out');
  };

  #failed(error: unknown): Ended {
    if (error instanceof ExitSignal) return this.#ended('completed', error.exitCode, null);
    if (error instanceof StopSignal) {
      const { reason } = error;
      return this.#ended(reason, EXIT_CODE[reason], STOPPED[reason]);
    }
    if (!isTrap(error)) throw error;
    const wasDenied =
      this.#instance !== undefined && this.#global(this.metered.names.denied).value === 1;
    const outcome = wasDenied ? 'out_of_memory' : 'trapped';
    const denied = wasDenied ? ' after the memory limit had denied a growth' : '';
    return this.#ended(outcome, EXIT_CODE[outcome], `${messageOf(error)}${denied}`);
  }

  #ended(outcome: WasmOutcome, exitCode: number, message: string | null): Ended {
    const { stdout, stderr } = this.#wasi;
    const counter: unknown = this.#instance && this.#global(this.metered.names.fuel).value;
    return {
      outcome,
      exitCode,
      message,
      stdoutBase64: stdout.base64(),
      stderrBase64: stderr.base64(),
      outputTruncated: stdout.truncated || stderr.truncated,
      fuel: typeof counter === 'bigint' ? Number(this.meter.spent(counter)) : 0,
      meterVersion: METER_VERSION,
      memoryBytes: this.#memoryBytes(),
    };
  }

  /** Of the memories that the module exports. */
  #memoryBytes(): number {
    const exported = this.metered.shape.exports.filter(({ kind }) => kind === MEMORY_KIND);
    const byIndex = new Map(exported.map(({ index, name }) => [index, name]));
    return [...byIndex.values()].reduce((sum, name) => {
      const memory = this.#instance?.exports[name];
      return memory instanceof WebAssembly.Memory ? sum + memory.buffer.byteLength : sum;
    }, 0);
  }

  #global(name: string): WebAssembly.Global {
    const found = this.#instance?.exports[name];
    if (found instanceof WebAssembly.Global) return found;
    throw new Error(`the module lost its export ${name}`);
  }
}

const STOPPED = {
  out_of_fuel: 'all fuel of the limit was spent',
  timed_out: 'the time of the run was up',
} as const;

/** A RangeError is an overflow of the call stack. */
const isTrap = (error: unknown): boolean =>
  error instanceof WebAssembly.RuntimeError || isRangeError(error);
