import { ByteReader } from '../binary/byte-reader.js';
import { ByteWriter } from '../binary/byte-writer.js';
import { MISC, NO_TYPE, OP, skipImmediates } from '../binary/instruction.js';
import { I32, I64, readValueType } from '../binary/value-type.js';
import { malformed, reject } from '../wasm.errors.js';
import { ENTRY_FUEL, fuelOf, UNCHECKED_BULK_UNITS } from './fuel-costs.js';
import { LOCALS_PER_FUNCTION_MAX } from './module-limits.js';
import { check, checkAtHead, type MeterIndices, reload, save, spend } from './meter-code.js';

/** The entities that the body of a function may refer to. */
export interface MeteredModule {
  readonly at: MeterIndices;
  /** The index of a function behind the import that the meter adds. */
  readonly functionIndex: (index: number) => number;
  /** Whether a block of a type takes values. */
  readonly hasParams: (type: number) => boolean;
  readonly memories: readonly { readonly is64: boolean }[];
  readonly tables: readonly { readonly is64: boolean }[];
}

/** Of a function: the number of its parameters, and the type of a block with its results. */
export interface MeteredSignature {
  readonly params: number;
  readonly writeResults: (code: ByteWriter) => void;
}

/** Bulk instructions that name a source and a destination. */
const NAME_TWO: ReadonlySet<number> = new Set([
  MISC.memoryInit,
  MISC.memoryCopy,
  MISC.tableInit,
  MISC.tableCopy,
]);

const isWide = (spaces: readonly { readonly is64: boolean }[], index: number): boolean =>
  spaces[index]?.is64 ?? malformed(`there is no memory or table ${index}`);

/**
 * Rewrites the body of a function so that it counts its fuel as Wasmtime does: in a local variable,
 * added up once for each straight piece of code, checked at the entry, at the head of each loop and
 * behind bulk instructions, and written to a global before control leaves the function.
 */
export class MeteredFunction {
  /** Of the function itself, without its parameters. */
  readonly locals: number;
  readonly #code: ByteWriter;
  readonly #local: number;
  readonly #groups: readonly (readonly [number, number])[];
  /** Up to here the body was copied. */
  #copied: number;
  /** Fuel of the instructions since it was last added to the local. */
  #pending = 0;
  /** Blocks that are open inside the function. */
  #depth = 0;
  #hasBulk = false;
  /** Where the constant lies that the previous instruction has pushed, or -1. */
  #constant = -1;
  #previous = -1;

  constructor(
    private readonly body: ByteReader,
    private readonly signature: MeteredSignature,
    private readonly module: MeteredModule,
  ) {
    const groups: [number, number][] = [];
    let locals = 0;
    for (let left = body.count(); left > 0; left -= 1) {
      const count = body.u32();
      groups.push([count, readValueType(body)]);
      locals += count;
    }
    if (locals > LOCALS_PER_FUNCTION_MAX) {
      reject(`a function has more than ${LOCALS_PER_FUNCTION_MAX} locals`);
    }
    this.#groups = groups;
    this.locals = locals;
    this.#local = signature.params + locals;
    this.#copied = body.at;
    this.#code = new ByteWriter((body.end - body.at) * 2 + 64);
  }

  /** The body with its locals. */
  rewritten(): ByteWriter {
    const { at } = this.module;
    this.#code.byte(OP.globalGet).unsigned(at.fuel);
    this.#code.byte(OP.i64Const).signed(BigInt(ENTRY_FUEL)).byte(OP.i64Add);
    this.#code.byte(OP.localSet).unsigned(this.#local);
    check(this.#code, this.#local, at);
    // A branch out of the function ends this block, and so passes the code behind it.
    this.#code.byte(OP.block);
    this.signature.writeResults(this.#code);
    while (this.#depth >= 0) this.#instruction();
    if (!this.body.done) malformed('a function continues behind its end');
    save(this.#code, this.#local, 0, at);
    this.#code.byte(OP.end);
    return this.#withLocals();
  }

  #withLocals(): ByteWriter {
    const added: [number, number][] = this.#hasBulk
      ? [
          // The fuel, and the units and the result of a bulk instruction of either type.
          [3, I64],
          [2, I32],
        ]
      : [[1, I64]];
    const groups = [...this.#groups, ...added];
    const whole = new ByteWriter(this.#code.length + groups.length * 6 + 8);
    whole.unsigned(groups.length);
    for (const [count, type] of groups) whole.unsigned(count).byte(type);
    return whole.raw(this.#code.view());
  }

  #instruction(): void {
    const { body } = this;
    const start = body.at;
    const op = body.byte();
    this.#constant = this.#previous;
    this.#previous = op === OP.i32Const || op === OP.i64Const ? start + 1 : -1;
    this.#pending += fuelOf(op);
    switch (op) {
      case OP.misc:
        this.#misc(start);
        break;
      case OP.memoryGrow:
        this.#memoryGrow(start);
        break;
      case OP.call:
      case OP.returnCall:
      case OP.refFunc:
        this.#function(start, op);
        break;
      default:
        skipImmediates(op, body);
        this.#control(start, op);
    }
  }

  /** Adds up the fuel where code is entered or left by more than one way. */
  #control(start: number, op: number): void {
    switch (op) {
      case OP.unreachable:
      case OP.return:
      case OP.returnCallIndirect:
        this.#save(start);
        break;
      case OP.callIndirect:
        this.#save(start);
        this.#copy(this.body.at);
        reload(this.#code, this.#local, this.module.at);
        break;
      case OP.block:
        this.#depth += 1;
        break;
      case OP.loop:
        this.#depth += 1;
        this.#spend(start);
        this.#copy(this.body.at);
        this.#checkLoop(start);
        break;
      case OP.if:
        this.#depth += 1;
        this.#spend(start);
        break;
      case OP.br:
      case OP.brIf:
      case OP.brTable:
      case OP.else:
        this.#spend(start);
        break;
      case OP.end:
        this.#depth -= 1;
        this.#spend(start);
        this.#copy(this.body.at);
        break;
      default:
    }
  }

  #checkLoop(start: number): void {
    const type = new ByteReader(this.body.bytes, start + 1, this.body.end).signed();
    // The index of a type, or a negative number for one without parameters.
    const takesValues = type >= 0n && this.module.hasParams(Number(type));
    const write = takesValues ? check : checkAtHead;
    write(this.#code, this.#local, this.module.at);
  }

  /** Instructions that name a function. */
  #function(start: number, op: number): void {
    const index = this.module.functionIndex(this.body.u32());
    if (op === OP.refFunc) this.#copy(start);
    else this.#save(start);
    this.#code.byte(op).unsigned(index);
    this.#copied = this.body.at;
    if (op === OP.call) reload(this.#code, this.#local, this.module.at);
  }

  #memoryGrow(start: number): void {
    const memory = this.body.u32();
    const write = (): void => {
      this.#code.byte(OP.call).unsigned(this.module.at.grow + memory);
      this.#copied = this.body.at;
    };
    this.#bulk(start, isWide(this.module.memories, memory), write, true);
  }

  #misc(start: number): void {
    const { body } = this;
    const { memories, tables } = this.module;
    const op = body.u32();
    if (op < MISC.memoryInit) return;
    if (op > MISC.tableFill) return reject(`the instruction 0xfc ${op} is not supported`);
    const first = body.u32();
    const second = NAME_TWO.has(op) ? body.u32() : first;
    const bulk = (is64: boolean, isGrowth = false): void =>
      this.#bulk(start, is64, () => this.#copy(body.at), isGrowth);
    switch (op) {
      case MISC.memoryInit:
      case MISC.tableInit:
        bulk(false);
        break;
      case MISC.memoryCopy:
        bulk(isWide(memories, first) && isWide(memories, second));
        break;
      case MISC.memoryFill:
        bulk(isWide(memories, first));
        break;
      case MISC.tableCopy:
        bulk(isWide(tables, first) && isWide(tables, second));
        break;
      case MISC.tableFill:
        bulk(isWide(tables, first));
        break;
      case MISC.tableGrow:
        bulk(isWide(tables, first), true);
        break;
      default:
    }
  }

  /**
   * An instruction that adds one for each unit; the number of units is on top of the stack. They
   * are added behind it, as Wasmtime checks the bounds first: what traps is not counted, and a
   * growth that is denied neither.
   * @param growth the result is -1 when nothing was done
   */
  #bulk(start: number, is64: boolean, write: () => void, growth = false): void {
    const constant = this.#constantUnits(is64);
    if (constant !== null && constant <= UNCHECKED_BULK_UNITS) {
      this.#pending += Number(constant);
      this.#copy(start);
      write();
      return;
    }
    this.#hasBulk = true;
    const units = this.#local + (is64 ? 1 : 3);
    this.#copy(start);
    this.#code.byte(OP.localTee).unsigned(units);
    write();
    if (growth) this.#code.byte(OP.localTee).unsigned(units + 1);
    spend(this.#code, this.#local, this.#pending);
    this.#pending = 0;
    if (growth) this.#beginIfGrown(units + 1, is64);
    this.#addUnits(units, is64);
    check(this.#code, this.#local, this.module.at);
    if (growth) this.#code.byte(OP.end);
  }

  #beginIfGrown(result: number, is64: boolean): void {
    this.#code.byte(OP.localGet).unsigned(result);
    this.#code.byte(is64 ? OP.i64Const : OP.i32Const).signed(-1n);
    this.#code.byte(is64 ? OP.i64Ne : OP.i32Ne, OP.if, NO_TYPE);
  }

  #addUnits(units: number, is64: boolean): void {
    const code = this.#code;
    code.byte(OP.localGet).unsigned(units);
    if (!is64) code.byte(OP.i64ExtendI32U);
    code.byte(OP.localGet).unsigned(this.#local).byte(OP.i64Add);
    code.byte(OP.localSet).unsigned(this.#local);
  }

  /** Null unless the previous instruction has pushed them as a constant. */
  #constantUnits(is64: boolean): bigint | null {
    if (this.#constant < 0) return null;
    const value = new ByteReader(this.body.bytes, this.#constant, this.body.end).signed();
    return BigInt.asUintN(is64 ? 64 : 32, value);
  }

  #spend(upTo: number): void {
    this.#copy(upTo);
    spend(this.#code, this.#local, this.#pending);
    this.#pending = 0;
  }

  #save(upTo: number): void {
    this.#copy(upTo);
    save(this.#code, this.#local, this.#pending, this.module.at);
    this.#pending = 0;
  }

  #copy(upTo: number): void {
    this.#code.raw(this.body.bytes.subarray(this.#copied, upTo));
    this.#copied = upTo;
  }
}
