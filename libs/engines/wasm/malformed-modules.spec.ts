import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { moduleOf, VECTORS, wasmTaskOf } from '../../../test/oracles/wasmtime/vectors.fixture.js';
import { readSections, SECTION } from './metering/module-sections.js';
import { WasmError } from './wasm.errors.js';
import { type WasmEnd } from './wasm.protocol.js';
import { runModule } from './wasm-run.js';

const FUEL = 20_000;
/** Small modules, so that a change of a few bytes matters. */
const SEEDS = VECTORS.modules.filter(({ wasm }) => wasm.length < 1_200);

/** The end of the run, or the error by which the module was rejected. */
const attempt = (
  wasm: Buffer,
  entryPoint: string,
  args: readonly string[],
): WasmEnd | WasmError => {
  const limits = { fuelLimit: FUEL, memoryLimitMb: 4, wallMsMax: 2_000 };
  const task = wasmTaskOf(wasm.toString('base64'), { ...limits, entryPoint, args });
  try {
    return runModule(task, new BigInt64Array(1));
  } catch (error) {
    if (error instanceof WasmError) return error;
    throw error;
  }
};

const demandSane = (result: WasmEnd | WasmError): void => {
  if (result instanceof WasmError) {
    // V8 accepts what the meter writes for every module that V8 has accepted.
    expect(result.message).not.toContain('with its meter');
    return;
  }
  expect(result.fuel).toBeGreaterThanOrEqual(0);
  expect(result.fuel).toBeLessThanOrEqual(FUEL);
  expect(result.memoryBytes).toBeLessThanOrEqual(4 * 1_024 * 1_024);
};

describe('malformed modules', () => {
  it('end in a rejection or within their limits, whatever bytes are changed', () => {
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      // Neighbours of an opcode or an index often leave a module valid.
      by: fc.oneof(fc.constantFrom(1, 255, 2, 254), fc.nat(255)),
    });
    const change = fc.record({
      seed: fc.constantFrom(...SEEDS),
      edits: fc.array(edit, { minLength: 1, maxLength: 2 }),
    });
    let ended = 0;
    fc.assert(
      fc.property(change, ({ seed, edits }) => {
        const wasm = Buffer.from(seed.wasm, 'base64');
        for (const { at, by } of edits) {
          const place = 8 + Math.floor(at * (wasm.length - 8));
          wasm[place] = (wasm[place] ?? 0) + by;
        }
        const [call] = seed.calls;
        const result = attempt(wasm, call?.entry ?? '', call?.args ?? []);
        demandSane(result);
        if (!(result instanceof WasmError)) ended += 1;
      }),
      { numRuns: 400 },
    );
    // Some changes leave a module valid: the meter has been behind both answers.
    expect(ended).toBeGreaterThan(5);
  });

  it('are rejected when they end before their code does, at every byte', () => {
    const whole = Buffer.from(moduleOf('branches'), 'base64');
    const end = readSections(whole).get(SECTION.code)?.end ?? 0;
    expect(end).toBeGreaterThan(100);
    for (let length = 0; length < end; length += 1) {
      const result = attempt(whole.subarray(0, length), 'nested', ['1']);
      expect(result).toBeInstanceOf(WasmError);
    }
  });

  it('are rejected when they are noise behind a header', () => {
    const header = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (noise) => {
        expect(attempt(Buffer.concat([header, noise]), 'f', [])).toBeInstanceOf(WasmError);
      }),
      { numRuns: 300 },
    );
  });
});

const leb = (value: number): readonly number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...leb(Math.floor(value / 128))];

/** A section of a module: its number, its length and its content. */
const section = (id: number, ...content: readonly number[]): readonly number[] => [
  id,
  ...leb(content.length),
  ...content,
];

/** A vector of equal items. */
const many = (count: number, ...item: readonly number[]): readonly number[] => [
  ...leb(count),
  ...Array.from({ length: count }, () => (item.length === 0 ? [0] : item)).flat(),
];
const moduleWith = (...sections: readonly (readonly number[])[]): Buffer =>
  Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);
/** One function without parameters and results, with this code. */
const codeModule = (...code: readonly number[]): Buffer =>
  moduleWith(
    section(1, 1, 0x60, 0, 0),
    section(3, 1, 0),
    section(10, 1, code.length + 2, 0, ...code, 0x0b),
  );
/** Functions without parameters and results, each with this body. */
const bodiesModule = (count: number, ...body: readonly number[]): Buffer =>
  moduleWith(
    section(1, 1, 0x60, 0, 0),
    section(3, ...many(count, 0)),
    section(10, ...many(count, body.length, ...body)),
  );

const functionsModule = (count: number): Buffer => bodiesModule(count, 0, 0x0b);

const localsModule = (functions: number, locals: number): Buffer =>
  bodiesModule(functions, 1, ...leb(locals), 0x7f, 0x0b);

const importOf = (module: string, name: string, ...type: readonly number[]): Buffer =>
  moduleWith(
    section(1, 1, 0x60, 0, 0),
    section(
      2,
      ...[1, module.length, ...Buffer.from(module), name.length, ...Buffer.from(name)],
      ...type,
    ),
  );

describe('what the sandbox does not run', () => {
  it.each([
    ['a component', Buffer.from([0, 0x61, 0x73, 0x6d, 13, 0, 1, 0]), 'component'],
    ['a shared memory', moduleWith(section(5, 1, 3, 1, 1)), 'shared memory'],
    ['another page size', moduleWith(section(5, 1, 8, 1, 0)), 'pages of another size'],
    ['an exception tag', moduleWith(section(13, 1, 0, 0)), 'exception'],
    ['a thrown exception', codeModule(0x08, 0), 'exception'],
    ['a structure', moduleWith(section(1, 1, 0x5f, 0)), 'garbage collection'],
    ['a GC instruction', codeModule(0xfb, 0, 0), 'garbage collection'],
    ['an atomic fence', codeModule(0xfe, 3, 0), 'threads'],
    ['call_ref', codeModule(0x14, 0), 'typed function references'],
    ['an unknown import', importOf('env', 'print', 0, 0), 'the import env.print is not available'],
    ['an imported memory', importOf('env', 'memory', 2, 0, 1), 'env.memory is a memory'],
    [
      'a function of WASI with other parameters',
      importOf('wasi_snapshot_preview1', 'sched_yield', 0, 0),
      'is -> i32, not ->',
    ],
    ['too much memory', moduleWith(section(5, 1, 0, 65)), 'needs 4.0625 MiB of memory'],
    ['too many types', moduleWith(section(1, ...many(1_001, 0x60, 0, 0))), 'more than 1000 types'],
    ['too many functions', functionsModule(10_001), 'more than 10000 functions'],
    ['too many locals', localsModule(1, 1_001), 'a function has more than 1000 locals'],
    ['too many locals together', localsModule(201, 1_000), 'more than 200000 locals together'],
    ['too many globals', moduleWith(section(6, ...many(1_001))), 'more than 1000 globals'],
    ['too many exports', moduleWith(section(7, ...many(1_001))), 'more than 1000 exports'],
    ['too many segments', moduleWith(section(11, ...many(10_001))), 'more than 10000 segments'],
    ['a huge table', moduleWith(section(4, 1, 0x70, 0, 0xc1, 0x9a, 0x0c)), 'more than 100000'],
  ])('%s is refused by name', (_, wasm, words) => {
    const result = attempt(wasm, 'f', []);
    expect(result).toMatchObject({ code: 'module_refused' });
    expect((result as WasmError).message).toContain(words);
  });
});
