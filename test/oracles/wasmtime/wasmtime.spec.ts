import { describe, expect, it } from '@jest/globals';
import { runModule } from '#engines/wasm/wasm-run.js';
import { moduleOf, VECTORS, wasmTaskOf } from './vectors.fixture.js';

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');

/** The only module that calls the host, whose work Wasmtime does not count: once, for 23 bytes. */
const WITH_HOST = 'hello';
const HOST_FUEL_OF_HELLO = 200 + 50 + 23;

describe(`the fuel of Wasmtime ${VECTORS.wasmtime}`, () => {
  it('uses a release whose rules the meter names', () => {
    expect(VECTORS.wasmtime).toBe('49.0.0');
    expect(VECTORS.modules.length).toBeGreaterThan(50);
  });

  it.each(VECTORS.modules.filter(({ name }) => name !== WITH_HOST))(
    'is spent by $name, and runs out at the same point',
    (module) => {
      for (const { entry, args, limit, outcome, fuel, stdout } of module.calls) {
        const task = wasmTaskOf(module.wasm, { entryPoint: entry, args, fuelLimit: limit });
        const end = runModule(task, new BigInt64Array(1));
        const recorded = { call: `${entry} ${args.join(' ')} with ${limit}`, outcome, fuel };
        expect({ ...recorded, outcome: end.outcome, fuel: end.fuel }).toEqual(recorded);
        if (stdout !== undefined) expect(textOf(end.stdoutBase64)).toBe(stdout);
      }
    },
  );

  it('is spent beside that of the host', () => {
    const hello = VECTORS.modules.find(({ name }) => name === WITH_HOST);
    const [call] = hello?.calls ?? [];
    const end = runModule(wasmTaskOf(moduleOf(WITH_HOST)), new BigInt64Array(1));
    expect(end.fuel).toBe((call?.fuel ?? 0) + HOST_FUEL_OF_HELLO);
    expect(textOf(end.stdoutBase64)).toBe(call?.stdout);
  });
});
