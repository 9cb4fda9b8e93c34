import { type ByteWriter } from '../binary/byte-writer.js';
import { NO_TYPE, OP } from '../binary/instruction.js';

/** Where the parts that the meter adds to a module lie in its index spaces. */
export interface MeterIndices {
  /** The global with the fuel that is spent, less the fuel that was granted. */
  readonly fuel: number;
  /** The global that is 1 once a growth was denied by the memory limit. */
  readonly denied: number;
  /** The import that is called when the granted fuel is spent. */
  readonly tick: number;
  /** The function that calls it. */
  readonly refuel: number;
  /** The first of one function for each memory that replaces `memory.grow`. */
  readonly grow: number;
}

/** Adds spent fuel to the local that caches it. */
export const spend = (code: ByteWriter, local: number, fuel: number): void => {
  if (fuel === 0) return;
  code.byte(OP.localGet).unsigned(local);
  code.byte(OP.i64Const).signed(BigInt(fuel)).byte(OP.i64Add);
  code.byte(OP.localSet).unsigned(local);
};

/** Writes the cached fuel and what was spent since into the global. */
export const save = (code: ByteWriter, local: number, fuel: number, at: MeterIndices): void => {
  code.byte(OP.localGet).unsigned(local);
  if (fuel > 0) code.byte(OP.i64Const).signed(BigInt(fuel)).byte(OP.i64Add);
  code.byte(OP.globalSet).unsigned(at.fuel);
};

/** Caches the global again, which a call has changed. */
export const reload = (code: ByteWriter, local: number, at: MeterIndices): void => {
  code.byte(OP.globalGet).unsigned(at.fuel).byte(OP.localSet).unsigned(local);
};

/** Asks for more fuel when what was granted is spent. */
export const check = (code: ByteWriter, local: number, at: MeterIndices): void => {
  refuelIfSpent(code, local, at);
  code.byte(OP.end);
};

/**
 * The same at the head of a loop that takes no values, to which it then goes back: V8 makes better
 * code of a loop in which no way leads from the call into its body.
 */
export const checkAtHead = (code: ByteWriter, local: number, at: MeterIndices): void => {
  refuelIfSpent(code, local, at);
  code.byte(OP.br, ENCLOSING, OP.end);
};

/** The block around the innermost one. */
const ENCLOSING = 1;

const refuelIfSpent = (code: ByteWriter, local: number, at: MeterIndices): void => {
  code.byte(OP.localGet).unsigned(local).byte(OP.i64Const).signed(0n).byte(OP.i64GeS);
  code.byte(OP.if, NO_TYPE);
  code.byte(OP.localGet).unsigned(local);
  code.byte(OP.call).unsigned(at.refuel);
  code.byte(OP.localSet).unsigned(local);
};
