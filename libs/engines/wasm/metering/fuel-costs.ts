import { OP } from '../binary/instruction.js';

/** Raised when any module would use another number of fuel; part of the evidence of a charge. */
export const METER_VERSION = 'wasmtime-49/2';

/** A call of a function, before its first instruction. */
export const ENTRY_FUEL = 1;

/** A bulk instruction over a constant number of units is checked against the limit above this. */
export const UNCHECKED_BULK_UNITS = 128;

/** Of instructions; those over memory and tables add one for each byte or element. */
const FREE: ReadonlySet<number> = new Set([
  OP.nop,
  OP.drop,
  OP.block,
  OP.loop,
  OP.unreachable,
  OP.return,
  OP.else,
  OP.end,
]);

export const fuelOf = (op: number): number => (FREE.has(op) ? 0 : 1);
