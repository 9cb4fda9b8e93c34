import { ByteReader } from '../binary/byte-reader.js';
import { ByteWriter } from '../binary/byte-writer.js';
import { NO_TYPE, OP } from '../binary/instruction.js';
import { I32, I64, readValueType } from '../binary/value-type.js';
import { malformed, reject } from '../wasm.errors.js';
import { copyConstant } from './constant-expression.js';
import { copyElements } from './element-segments.js';
import { growBody, refuelBody, startupBody } from './helper-functions.js';
import { writeLimits } from './limits-type.js';
import { type MeterIndices } from './meter-code.js';
import { MeteredFunction, type MeteredModule } from './metered-function.js';
import { DECLARED_MAX, type ModuleLimits, TABLE_ELEMENTS_MAX } from './module-limits.js';
import { HEADER, readSections, SECTION, SECTION_ORDER } from './module-sections.js';
import {
  type AvailableImports,
  type FunctionType,
  FUNCTION_KIND,
  GLOBAL_KIND,
  type ModuleShape,
  readShape,
} from './module-shape.js';
import { TypeTable } from './type-table.js';
import { type Declared } from './work-costs.js';

/** The module and function that a metered module imports: `(spent: i64) -> i64`. */
export const TICK = { module: 'quipu', name: 'tick' } as const;

export interface MeteredBinary {
  readonly bytes: Uint8Array;
  /** Of the module as it was. */
  readonly shape: ModuleShape;
  readonly declared: Declared;
  /** Names under which the metered module exports what the meter added. */
  readonly names: {
    readonly fuel: string;
    readonly denied: string;
    /** Runs the start function; null when the module has none. */
    readonly startup: string | null;
  };
}

/**
 * Rewrites a module so that it counts its fuel, stops when it is spent, and keeps its memories
 * within a limit. Fuel counts up from a negative number: `tick` is called when it reaches zero.
 * @throws WasmError `module_invalid`, `module_refused`
 */
export const meterModule = (
  bytes: Uint8Array,
  available: AvailableImports,
  limits: ModuleLimits,
): MeteredBinary => new ModuleMeter(bytes, available, limits).metered();

interface MeteredCode {
  readonly code: ByteWriter;
  /** Of the functions that the meter adds. */
  readonly helpers: readonly FunctionType[];
  /** Of the module's own functions. */
  readonly locals: number;
}

class ModuleMeter {
  readonly #sections: ReadonlyMap<number, ByteReader>;
  readonly #shape: ModuleShape;
  readonly #types: TypeTable;
  readonly #at: MeterIndices;
  readonly #names: MeteredBinary['names'];

  constructor(
    bytes: Uint8Array,
    available: AvailableImports,
    private readonly limits: ModuleLimits,
  ) {
    this.#sections = readSections(bytes);
    this.#shape = readShape(this.#sections, available, limits);
    const { types, functions, imported, globals, start } = this.#shape;
    this.#types = new TypeTable(types);
    const refuel = functions.length + 1;
    this.#at = {
      fuel: globals,
      denied: globals + 1,
      tick: imported,
      refuel,
      grow: refuel + 1,
    };
    this.#names = {
      fuel: this.#freeName('quipu.fuel'),
      denied: this.#freeName('quipu.denied'),
      startup: start === null ? null : this.#freeName('quipu.startup'),
    };
  }

  metered(): MeteredBinary {
    const { code, helpers, locals } = this.#code();
    const rewritten = new Map<number, ByteWriter>([
      [SECTION.code, code],
      [SECTION.import, this.#imports()],
      [SECTION.function, this.#functions(helpers)],
      [SECTION.table, this.#tables()],
      [SECTION.memory, this.#memories()],
      [SECTION.global, this.#globals()],
      [SECTION.export, this.#exports()],
      [SECTION.element, this.#elements()],
      [SECTION.type, this.#types.written()],
    ]);
    const out = new ByteWriter(code.length * 2).raw(HEADER);
    for (const id of SECTION_ORDER) {
      const content = rewritten.get(id) ?? this.#original(id);
      if (content && content.length > 0) out.byte(id).sized(content);
    }
    const { types, functions } = this.#shape;
    const declared = { types: types.length, functions: functions.length, locals };
    return { bytes: out.view(), shape: this.#shape, names: this.#names, declared };
  }

  /** The start function is called by the host, which then has the module's exports. */
  #original(id: number): ByteWriter | undefined {
    const reader = id === SECTION.start ? undefined : this.#sections.get(id);
    return reader && new ByteWriter().raw(reader.bytes.subarray(reader.at, reader.end));
  }

  readonly #functionIndex = (index: number): number =>
    index < this.#shape.imported ? index : index + 1;

  #code(): MeteredCode {
    const { functions, imported, memories, tables, start } = this.#shape;
    const reader = this.#sections.get(SECTION.code);
    const count = reader?.count() ?? 0;
    if (count !== functions.length - imported) malformed('functions and bodies differ in number');
    const module: MeteredModule = {
      at: this.#at,
      functionIndex: this.#functionIndex,
      hasParams: (type) => (this.#shape.types[type]?.params.length ?? 0) > 0,
      memories,
      tables,
    };
    const bodies: ByteWriter[] = [];
    let locals = 0;
    for (const type of functions.slice(imported)) {
      const body = reader?.part(reader.u32()) ?? malformed('a function has no body');
      const { params, results } = type;
      const writeResults = (code: ByteWriter): void => this.#writeResults(code, results);
      const own = new MeteredFunction(body, { params: params.length, writeResults }, module);
      locals += own.locals;
      if (locals > DECLARED_MAX.locals) {
        reject(`the functions have more than ${DECLARED_MAX.locals} locals together`);
      }
      bodies.push(own.rewritten());
    }
    const helpers: FunctionType[] = [{ params: [I64], results: [I64] }];
    bodies.push(refuelBody(this.#at));
    for (const [index, { is64 }] of memories.entries()) {
      const type = is64 ? I64 : I32;
      helpers.push({ params: [type], results: [type] });
      bodies.push(growBody(index, memories, this.limits.memoryPagesMax, this.#at));
    }
    if (start !== null) {
      helpers.push({ params: [], results: [] });
      bodies.push(startupBody(this.#functionIndex(start), this.#at));
    }
    const code = new ByteWriter(4_096).unsigned(bodies.length);
    for (const body of bodies) code.sized(body);
    return { code, helpers, locals };
  }

  #writeResults(code: ByteWriter, results: readonly number[]): void {
    const [only] = results;
    if (only === undefined) code.byte(NO_TYPE);
    else if (results.length === 1) code.byte(only);
    else code.signed(BigInt(this.#types.indexOf({ params: [], results })));
  }

  #imports(): ByteWriter {
    const reader = this.#sections.get(SECTION.import);
    const out = new ByteWriter().unsigned(this.#shape.imported + 1);
    if (reader) {
      const whole = new ByteReader(reader.bytes, reader.start, reader.end);
      whole.count();
      out.raw(whole.bytes.subarray(whole.at, whole.end));
    }
    out.text(TICK.module).text(TICK.name).byte(FUNCTION_KIND);
    return out.unsigned(this.#types.indexOf({ params: [I64], results: [I64] }));
  }

  #functions(helpers: readonly FunctionType[]): ByteWriter {
    const { functions, imported } = this.#shape;
    const own = [...functions.slice(imported), ...helpers];
    const out = new ByteWriter().unsigned(own.length);
    for (const type of own) out.unsigned(this.#types.indexOf(type));
    return out;
  }

  #tables(): ByteWriter {
    const { tables } = this.#shape;
    const out = new ByteWriter();
    if (tables.length === 0) return out;
    out.unsigned(tables.length);
    for (const table of tables) writeLimits(out.byte(table.type), table, TABLE_ELEMENTS_MAX);
    return out;
  }

  #memories(): ByteWriter {
    const { memories } = this.#shape;
    const out = new ByteWriter();
    if (memories.length === 0) return out;
    out.unsigned(memories.length);
    for (const memory of memories) writeLimits(out, memory, this.limits.memoryPagesMax);
    return out;
  }

  #globals(): ByteWriter {
    const reader = this.#sections.get(SECTION.global);
    const count = reader?.count() ?? 0;
    const out = new ByteWriter().unsigned(count + 2);
    for (let left = count; reader && left > 0; left -= 1) {
      out.byte(readValueType(reader), reader.byte());
      copyConstant(reader, out, this.#functionIndex);
    }
    out.byte(I64, MUTABLE, OP.i64Const, 0, OP.end);
    return out.byte(I32, MUTABLE, OP.i32Const, 0, OP.end);
  }

  #exports(): ByteWriter {
    const { exports, memories } = this.#shape;
    const { fuel, denied, startup } = this.#names;
    const out = new ByteWriter().unsigned(exports.length + (startup === null ? 2 : 3));
    for (const { name, kind, index } of exports) {
      out.text(name).byte(kind);
      out.unsigned(kind === FUNCTION_KIND ? this.#functionIndex(index) : index);
    }
    out.text(fuel).byte(GLOBAL_KIND).unsigned(this.#at.fuel);
    out.text(denied).byte(GLOBAL_KIND).unsigned(this.#at.denied);
    if (startup === null) return out;
    return out
      .text(startup)
      .byte(FUNCTION_KIND)
      .unsigned(this.#at.grow + memories.length);
  }

  #elements(): ByteWriter {
    const reader = this.#sections.get(SECTION.element);
    return reader ? copyElements(reader, this.#functionIndex) : new ByteWriter();
  }

  #freeName(wanted: string): string {
    let name = wanted;
    while (this.#shape.exports.some((taken) => taken.name === name)) name += '_';
    return name;
  }
}

const MUTABLE = 1;
