import { ByteReader } from '../binary/byte-reader.js';
import { malformed, reject } from '../wasm.errors.js';

export const SECTION = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  table: 4,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  data: 11,
  dataCount: 12,
  tag: 13,
} as const;

/** The order in which the sections of a module come. */
export const SECTION_ORDER: readonly number[] = [
  SECTION.type,
  SECTION.import,
  SECTION.function,
  SECTION.table,
  SECTION.memory,
  SECTION.global,
  SECTION.export,
  SECTION.start,
  SECTION.element,
  SECTION.dataCount,
  SECTION.code,
  SECTION.data,
];

const MAGIC = [0x00, 0x61, 0x73, 0x6d];
export const HEADER = Uint8Array.of(...MAGIC, 1, 0, 0, 0);

/** The sections of a module by their number; custom sections are left out. */
export const readSections = (bytes: Uint8Array): ReadonlyMap<number, ByteReader> => {
  const reader = new ByteReader(bytes);
  if (!MAGIC.every((byte) => !reader.done && reader.byte() === byte)) {
    malformed('the module does not start with \\0asm: it is not WebAssembly');
  }
  const [version, , layer] = [reader.byte(), reader.byte(), reader.byte(), reader.byte()];
  if (layer !== 0) reject('a component is not supported; pass its core module');
  if (version !== 1) malformed(`${version} is not a version of WebAssembly`);
  const sections = new Map<number, ByteReader>();
  while (!reader.done) {
    const id = reader.byte();
    const content = reader.part(reader.u32());
    if (id === SECTION.custom) continue;
    if (id === SECTION.tag) reject('exception handling is not supported');
    if (!SECTION_ORDER.includes(id)) malformed(`${id} is not a section`);
    if (sections.has(id)) malformed(`section ${id} is there twice`);
    sections.set(id, content);
  }
  return sections;
};
