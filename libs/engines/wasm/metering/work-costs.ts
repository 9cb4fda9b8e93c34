/** Fuel of the work that the host does for a module, in about a nanosecond of a processor each. */

import { DECLARED_MAX, LOCALS_PER_FUNCTION_MAX } from './module-limits.js';

/** Of calls of WASI, beside the instruction that calls. */
export const HOST_FUEL = {
  /** Of each call, for its way through the host. */
  call: 200,
  /** Of each address that a list names, of a part of memory or of a subscription. */
  entry: 50,
  /** Of each byte that is read, written or drawn at random. */
  byte: 1,
  /** Of each millisecond that a run waits: it keeps its thread and its memory. */
  waitedMs: 10_000,
} as const;

/** Of a run before its first instruction: a thread, and what is read and compiled. */
const START_FUEL = {
  thread: 10_000_000,
  byte: 100,
  type: 2_000,
  function: 3_000,
  local: 5,
} as const;

/** The declarations of a module. */
export interface Declared {
  readonly types: number;
  readonly functions: number;
  /** Of all functions together. */
  readonly locals: number;
}

/** Of a thread that reads a module; all that a module costs that is refused. */
export const readingFuelOf = (moduleBytes: number): number =>
  START_FUEL.thread + START_FUEL.byte * moduleBytes;

export const startFuelOf = (moduleBytes: number, declared: Declared): number =>
  readingFuelOf(moduleBytes) +
  START_FUEL.type * declared.types +
  START_FUEL.function * declared.functions +
  START_FUEL.local * declared.locals;

/** The most that starting a module can cost: its size bounds what it can declare. */
export const startFuelMaxOf = (moduleBytes: number): number =>
  startFuelOf(moduleBytes, {
    types: Math.min(DECLARED_MAX.types, moduleBytes),
    functions: Math.min(DECLARED_MAX.functions, moduleBytes),
    locals: Math.min(DECLARED_MAX.locals, moduleBytes * LOCALS_PER_FUNCTION_MAX),
  });
