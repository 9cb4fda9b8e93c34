import { z } from 'zod';
import { Sha256Hex } from '../vocabulary.js';

/** The evidence of a run of a WebAssembly module in the events of its hold. */

const asked = {
  /** Of the module as it was sent, before the meter was added. */
  moduleSha256: Sha256Hex,
  memoryLimitMb: z.int().positive(),
  fuelLimit: z.int().positive(),
};

export const WasmHoldEvidence = z.strictObject(asked);
export type WasmHoldEvidence = z.infer<typeof WasmHoldEvidence>;

export const WasmCaptureEvidence = z.strictObject({
  ...asked,
  /** `not_started`: the module was read, and cannot be started. */
  outcome: z.enum([
    'completed',
    'trapped',
    'out_of_fuel',
    'out_of_memory',
    'timed_out',
    'not_started',
  ]),
  exitCode: z.int().nonnegative(),
  /** Of instructions, and of the work of the host for them. */
  fuel: z.int().nonnegative(),
  /** Of the thread, and of reading and compiling the module. Both are charged. */
  startFuel: z.int().nonnegative(),
  /** Of the rules by which fuel is counted: the same module and input spend as much again. */
  meterVersion: z.string().min(1).max(64),
});
export type WasmCaptureEvidence = z.infer<typeof WasmCaptureEvidence>;
