import { z } from 'zod';

/** Bytes of each of the two outputs that are kept; the end of a task fits into one message. */
export const OUTPUT_BYTES_MAX = 131_072;

/** A module to run. JSON values only: it may travel over a bus. */
export const WasmTask = z.strictObject({
  /** The module, compressed by `deflateRaw`, in base64. */
  moduleDeflated: z.base64(),
  /** Lower-case hex of the module itself. */
  moduleSha256: z.string().regex(/^[\da-f]{64}$/),
  /** Of the module itself. */
  moduleBytes: z.int().positive(),
  /** The exported function to call. */
  entryPoint: z.string(),
  /** Arguments of the program, or the parameters of the entry point. */
  args: z.array(z.string()).readonly(),
  /** The standard input as text. */
  stdin: z.string(),
  memoryLimitMb: z.int().positive(),
  fuelLimit: z.int().positive(),
  /** For compiling and running. */
  wallMsMax: z.int().positive(),
});
export type WasmTask = z.infer<typeof WasmTask>;

/**
 * `completed`: the entry point returned, or the module called `proc_exit`. `out_of_memory`: it
 * trapped after the memory limit had denied a growth, or the thread's heap was full.
 */
export const WasmOutcome = z.enum([
  'completed',
  'trapped',
  'out_of_fuel',
  'out_of_memory',
  'timed_out',
]);
export type WasmOutcome = z.infer<typeof WasmOutcome>;

/** The outcome of a started module. */
export const WasmEnd = z.strictObject({
  outcome: WasmOutcome,
  /** Of the module if it completed; otherwise as a shell reports the signal. */
  exitCode: z.int().nonnegative(),
  /** Why the module did not complete, in a sentence; null when it did. */
  message: z.string().nullable(),
  stdoutBase64: z.string(),
  stderrBase64: z.string(),
  /** Whether bytes beyond `OUTPUT_BYTES_MAX` were dropped. */
  outputTruncated: z.boolean(),
  /** Of instructions and of the host's work for them, at most the limit. */
  fuel: z.int().nonnegative(),
  /** Of the thread, and of reading and compiling the module; beside the limit. */
  startFuel: z.int().nonnegative(),
  meterVersion: z.string(),
  /** Of all memories at the end; null when the thread had to be ended. */
  memoryBytes: z.int().nonnegative().nullable(),
  /** Compiling, instantiating and running. */
  elapsedMs: z.number().nonnegative(),
});
export type WasmEnd = z.infer<typeof WasmEnd>;

/** As in shells: 128 and the number of the signal; 124 is the code of `timeout(1)`. */
export const EXIT_CODE: Readonly<Record<Exclude<WasmOutcome, 'completed'>, number>> = {
  trapped: 134,
  out_of_fuel: 152,
  out_of_memory: 137,
  timed_out: 124,
};
