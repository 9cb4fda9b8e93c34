import { ByteWriter } from '../binary/byte-writer.js';
import { NO_TYPE, OP } from '../binary/instruction.js';
import { I64 } from '../binary/value-type.js';
import { ENTRY_FUEL, fuelOf } from './fuel-costs.js';
import { check, type MeterIndices, reload, save } from './meter-code.js';

const NO_LOCALS = 0;
const FIRST = 0;
const SECOND = 1;

/**
 * `(i64) -> i64`: passes the overdrawn fuel to the host, which grants more or ends the run, and
 * moves the global by the same amount as the local.
 */
export const refuelBody = ({ fuel, tick }: MeterIndices): ByteWriter => {
  const body = new ByteWriter().unsigned(1).unsigned(1).byte(I64);
  body.byte(OP.globalGet).unsigned(fuel);
  body.byte(OP.localGet, FIRST, OP.i64Sub);
  body.byte(OP.localGet, FIRST, OP.call).unsigned(tick);
  body.byte(OP.localTee, SECOND, OP.i64Add, OP.globalSet).unsigned(fuel);
  return body.byte(OP.localGet, SECOND, OP.end);
};

/**
 * `memory.grow` of one memory: `-1`, as the standard has it, when all memories together would have
 * more than the limit.
 */
export const growBody = (
  memory: number,
  memories: readonly { readonly is64: boolean }[],
  pagesMax: number,
  { denied }: MeterIndices,
): ByteWriter => {
  const body = new ByteWriter().unsigned(NO_LOCALS);
  const is64 = memories[memory]?.is64 === true;
  const delta = (): void => {
    body.byte(OP.localGet, FIRST);
    if (!is64) body.byte(OP.i64ExtendI32U);
  };
  const aboveMax = (): void => {
    body.byte(OP.i64Const).signed(BigInt(pagesMax)).byte(OP.i64GtU);
  };
  delta();
  aboveMax();
  delta();
  for (const [index, { is64: isWide }] of memories.entries()) {
    body.byte(OP.memorySize).unsigned(index);
    if (!isWide) body.byte(OP.i64ExtendI32U);
    body.byte(OP.i64Add);
  }
  aboveMax();
  body.byte(OP.i32Or, OP.if, NO_TYPE);
  body.byte(OP.i32Const, 1, OP.globalSet).unsigned(denied);
  body
    .byte(is64 ? OP.i64Const : OP.i32Const)
    .signed(-1n)
    .byte(OP.return, OP.end);
  return body.byte(OP.localGet, FIRST, OP.memoryGrow).unsigned(memory).byte(OP.end);
};

/** Calls the start function, as a function of the module would. */
export const startupBody = (start: number, at: MeterIndices): ByteWriter => {
  const body = new ByteWriter().unsigned(1).unsigned(1).byte(I64);
  body.byte(OP.globalGet).unsigned(at.fuel);
  body.byte(OP.i64Const).signed(BigInt(ENTRY_FUEL)).byte(OP.i64Add, OP.localSet, FIRST);
  check(body, FIRST, at);
  save(body, FIRST, fuelOf(OP.call), at);
  body.byte(OP.call).unsigned(start);
  reload(body, FIRST, at);
  save(body, FIRST, 0, at);
  return body.byte(OP.end);
};
