import { type ByteReader } from '../binary/byte-reader.js';
import {
  FUNCTION_REFERENCES,
  GARBAGE_COLLECTION,
  nameOfType,
  readValueType,
} from '../binary/value-type.js';
import { malformed, reject } from '../wasm.errors.js';
import { type Limits, readLimits } from './limits-type.js';
import {
  DECLARED_MAX,
  EXPORTS_MAX,
  GLOBALS_MAX,
  MEMORIES_MAX,
  type ModuleLimits,
  PAGES_PER_MIB,
  SEGMENTS_MAX,
  TABLE_ELEMENTS_MAX,
  TABLES_MAX,
} from './module-limits.js';
import { SECTION } from './module-sections.js';

export interface FunctionType {
  readonly params: readonly number[];
  readonly results: readonly number[];
}

export interface Export {
  readonly name: string;
  readonly kind: number;
  readonly index: number;
}

/** The entities that the code of a module may refer to. */
export interface ModuleShape {
  readonly types: readonly FunctionType[];
  /** Types of the imported functions, then of the module's own. */
  readonly functions: readonly FunctionType[];
  readonly imported: number;
  readonly tables: readonly (Limits & { readonly type: number })[];
  readonly memories: readonly Limits[];
  readonly globals: number;
  readonly exports: readonly Export[];
  readonly start: number | null;
}

/** Functions that a module may import: the signature, as `i32 i32 -> i32`, by module and name. */
export type AvailableImports = ReadonlyMap<string, ReadonlyMap<string, string>>;

export const FUNCTION_KIND = 0;
export const MEMORY_KIND = 2;
export const GLOBAL_KIND = 3;
const KINDS = ['function', 'table', 'memory', 'global', 'tag'];
const FUNCTION_TYPE = 0x60;
const COLLECTED_TYPES = [0x4e, 0x4f, 0x50, 0x5e, 0x5f];

export const signatureOf = ({ params, results }: FunctionType): string =>
  [...params.map(nameOfType), '->', ...results.map(nameOfType)].join(' ');

/**
 * Reads everything but code, elements and data.
 * @throws WasmError for an instruction or section that the sandbox does not run, by name
 */
export const readShape = (
  sections: ReadonlyMap<number, ByteReader>,
  available: AvailableImports,
  limits: ModuleLimits,
): ModuleShape => {
  const items = <Item>(id: number, read: (reader: ByteReader) => Item): Item[] => {
    const reader = sections.get(id);
    return reader ? Array.from({ length: reader.count() }, () => read(reader)) : [];
  };
  checkCounts(sections);
  const types = items(SECTION.type, readFunctionType);
  const typeAt = (reader: ByteReader): FunctionType =>
    types[reader.u32()] ?? malformed('a function has a type that does not exist');
  const imports = items(SECTION.import, (reader) => readImport(reader, typeAt, available));
  const functions = [...imports, ...items(SECTION.function, typeAt)];
  const tables = items(SECTION.table, readTable);
  const memories = items(SECTION.memory, readLimits);
  const globalSection = sections.get(SECTION.global);
  const start = sections.get(SECTION.start)?.u32() ?? null;
  checkSizes(tables, memories, limits);
  return {
    types,
    functions,
    imported: imports.length,
    tables,
    memories,
    globals: globalSection ? peekCount(globalSection) : 0,
    exports: items(SECTION.export, readExport),
    start,
  };
};

/** Items of the sections that a module may have. */
const COUNTS_MAX: readonly (readonly [section: number, max: number, name: string])[] = [
  [SECTION.type, DECLARED_MAX.types, 'types'],
  [SECTION.import, DECLARED_MAX.functions, 'imports'],
  [SECTION.function, DECLARED_MAX.functions, 'functions'],
  [SECTION.global, GLOBALS_MAX, 'globals'],
  [SECTION.export, EXPORTS_MAX, 'exports'],
  [SECTION.element, SEGMENTS_MAX, 'segments of elements'],
  [SECTION.data, SEGMENTS_MAX, 'segments of data'],
];

/** Before anything of that length is made. */
const checkCounts = (sections: ReadonlyMap<number, ByteReader>): void => {
  for (const [id, max, name] of COUNTS_MAX) {
    const reader = sections.get(id);
    if (reader && peekCount(reader) > max) reject(`the module has more than ${max} ${name}`);
  }
};

/** Leaves the reader where it was. */
const peekCount = (reader: ByteReader): number => {
  const { at } = reader;
  const count = reader.count();
  reader.at = at;
  return count;
};

const readFunctionType = (reader: ByteReader): FunctionType => {
  const form = reader.byte();
  if (COLLECTED_TYPES.includes(form)) reject(GARBAGE_COLLECTION);
  if (form !== FUNCTION_TYPE) malformed(`0x${form.toString(16)} is not a type of a function`);
  const list = (): number[] => Array.from({ length: reader.count() }, () => readValueType(reader));
  return { params: list(), results: list() };
};

const readImport = (
  reader: ByteReader,
  typeAt: (reader: ByteReader) => FunctionType,
  available: AvailableImports,
): FunctionType => {
  const [module, name] = [reader.text(), reader.text()];
  const kind = reader.byte();
  const subject = `the import ${module}.${name}`.slice(0, 200);
  if (kind !== FUNCTION_KIND) {
    return reject(`${subject} is a ${KINDS[kind] ?? 'thing'}; only functions may be imported`);
  }
  const type = typeAt(reader);
  const expected = available.get(module)?.get(name);
  if (expected === undefined) return reject(`${subject} is not available`);
  const actual = signatureOf(type);
  if (actual !== expected) return reject(`${subject} is ${expected}, not ${actual}`);
  return type;
};

const readTable = (reader: ByteReader): Limits & { readonly type: number } => {
  const type = reader.byte();
  if (type === 0x40) reject(FUNCTION_REFERENCES);
  reader.at -= 1;
  return { type: readValueType(reader), ...readLimits(reader) };
};

const readExport = (reader: ByteReader): Export => ({
  name: reader.text(),
  kind: reader.byte(),
  index: reader.u32(),
});

const checkSizes = (
  tables: readonly Limits[],
  memories: readonly Limits[],
  { memoryPagesMax }: ModuleLimits,
): void => {
  if (tables.length > TABLES_MAX) reject(`the module has more than ${TABLES_MAX} tables`);
  if (memories.length > MEMORIES_MAX) reject(`the module has more than ${MEMORIES_MAX} memories`);
  if (tables.some(({ min }) => min > TABLE_ELEMENTS_MAX)) {
    reject(`a table has more than ${TABLE_ELEMENTS_MAX} elements`);
  }
  const pages = memories.reduce((sum, { min }) => sum + min, 0);
  if (pages <= memoryPagesMax) return;
  const [needed, limit] = [pages / PAGES_PER_MIB, memoryPagesMax / PAGES_PER_MIB];
  reject(`the module needs ${needed} MiB of memory at its start, and the limit is ${limit} MiB`);
};
