import { readFile } from 'node:fs/promises';
import { type ModuleOrder, taskOf } from '#areas/sandbox/module-order.js';
import { textOf } from '#areas/sandbox/output-text.js';
import { openModules, type WasmEnd } from '#areas/sandbox/wasm.engine.js';
import { CommandFailure, usage } from '../command-failure.js';
import { EXIT } from '../exit-code.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';

export interface RunModuleOptions extends CommonOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly entry: string;
  readonly memory: number;
  readonly gas: number;
  readonly stdin: string;
}

/** A run on one's own machine has no limits but the options. */
const WALL_MS_MAX = 600_000;
const NO_LIMITS = {
  memoryMbMax: 4_096,
  fuelMax: Number.MAX_SAFE_INTEGER,
  wallMsMax: WALL_MS_MAX,
  runsMax: 1,
  runsPerAccountMax: 1,
} as const;

/** Runs the module in this process. No account pays, and the log has nothing of it. */
export const runModule = async (
  options: RunModuleOptions,
  { signal }: Invocation,
): Promise<Outcome> => {
  const module = await readFile(options.file).catch((error: unknown) => {
    throw usage(`the file ${options.file} cannot be read: ${messageOf(error)}`);
  });
  const order: ModuleOrder = {
    wasmBase64: module.toString('base64'),
    entryPoint: options.entry,
    args: options.args,
    stdin: options.stdin,
    memoryLimitMb: options.memory,
    gasLimit: options.gas,
  };
  const task = await taskOf(order, NO_LIMITS);
  const modules = await openModules();
  try {
    return outcomeOf(await modules.run(task, signal), task.moduleSha256);
  } catch (error) {
    throw failureOf(error);
  } finally {
    await modules.close();
  }
};

const outcomeOf = (end: WasmEnd, moduleSha256: string): Outcome => {
  const [stdout, stderr] = [textOf(end.stdoutBase64), textOf(end.stderrBase64)];
  const summary = `${end.outcome}, exit code ${end.exitCode}, ${end.fuel} fuel`;
  const why = end.message === null ? '' : `: ${end.message}`;
  return {
    json: {
      outcome: end.outcome,
      exit_code: end.exitCode,
      message: end.message,
      stdout,
      stderr,
      gas_used: end.fuel,
      start_gas: end.startFuel,
      execution_time_ms: end.elapsedMs,
      output_truncated: end.outputTruncated,
      memory_bytes: end.memoryBytes,
      module_sha256: moduleSha256,
      meter_version: end.meterVersion,
    },
    text: `${stdout}${stderr}${summary}${why}`,
    exitCode: end.outcome === 'completed' && end.exitCode === 0 ? EXIT.done : EXIT.failed,
  };
};

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Errors of the engine have a code. */
const failureOf = (error: unknown): unknown => {
  const isOfEngine = error instanceof Error && 'code' in error && typeof error.code === 'string';
  return isOfEngine ? new CommandFailure(`wasm_${String(error.code)}`, error.message) : error;
};
