import { describe, expect, it } from '@jest/globals';
import { BoundedOutput } from './bounded-output.js';
import { ERRNO } from './errno.js';
import { ExitSignal, WasiPreview1 } from './preview1.js';
import { WASI_MODULE, WASI_NAMES } from './preview1-signatures.js';

type Call = (...args: readonly (number | bigint)[]) => unknown;

/** WASI with a memory of one page, as a module would have it. */
const wasiWith = (options: { readonly args?: readonly string[]; readonly stdin?: string } = {}) => {
  const slept: number[] = [];
  let fuel = 0;
  const wasi = new WasiPreview1({
    args: options.args ?? ['program'],
    stdin: Buffer.from(options.stdin ?? ''),
    outputBytesMax: 8,
    sleep: (ms) => slept.push(ms),
    spend: (units) => {
      fuel += units;
    },
  });
  const buffer = new ArrayBuffer(65_536);
  wasi.memory.attach({ buffer });
  const functions = wasi.imports()[WASI_MODULE] as unknown as Readonly<Record<string, Call>>;
  const call = (name: string, ...args: readonly (number | bigint)[]) => functions[name]?.(...args);
  /** The fuel of the calls of a function. */
  const spentBy = (work: () => void): number => {
    const before = fuel;
    work();
    return fuel - before;
  };
  const view = new DataView(buffer);
  return { wasi, call, view, bytes: new Uint8Array(buffer), slept, spentBy };
};

const OUTSIDE = 0xffff_fff0;

describe('WASI preview 1', () => {
  it('has every function, and each survives addresses outside of the memory', () => {
    const { call } = wasiWith();
    expect(WASI_NAMES).toHaveLength(46);
    for (const name of WASI_NAMES.filter((one) => one !== 'proc_exit')) {
      const numbers = Array.from({ length: 9 }, (_, index) => (index === 0 ? 1 : OUTSIDE));
      expect(call(name, ...numbers)).toEqual(expect.any(Number));
    }
  });

  it('passes the arguments', () => {
    const { call, view, bytes } = wasiWith({ args: ['program', 'né'] });
    expect(call('args_sizes_get', 0, 4)).toBe(ERRNO.success);
    expect([view.getUint32(0, true), view.getUint32(4, true)]).toEqual([2, 12]);
    expect(call('args_get', 16, 64)).toBe(ERRNO.success);
    const second = view.getUint32(20, true);
    expect(Buffer.from(bytes.subarray(second, second + 4)).toString()).toBe('né\0');
  });

  it('reads the standard input up to its end', () => {
    const { call, view, bytes } = wasiWith({ stdin: 'abcde' });
    view.setUint32(0, 100, true);
    view.setUint32(4, 3, true);
    const read = () => [call('fd_read', 0, 0, 1, 8), view.getUint32(8, true)];
    expect(read()).toEqual([ERRNO.success, 3]);
    expect(Buffer.from(bytes.subarray(100, 103)).toString()).toBe('abc');
    expect(read()).toEqual([ERRNO.success, 2]);
    expect(read()).toEqual([ERRNO.success, 0]);
  });

  it('keeps output up to its limit and says when there was more', () => {
    const { wasi, call, view, bytes } = wasiWith();
    bytes.set(Buffer.from('0123456789'), 100);
    view.setUint32(0, 100, true);
    view.setUint32(4, 10, true);
    expect(call('fd_write', 1, 0, 1, 8)).toBe(ERRNO.success);
    expect(view.getUint32(8, true)).toBe(10);
    expect(Buffer.from(wasi.stdout.base64(), 'base64').toString()).toBe('01234567');
    expect([wasi.stdout.truncated, wasi.stderr.truncated]).toEqual([true, false]);
  });

  it('opens no file and no socket', () => {
    const { call } = wasiWith();
    expect(call('fd_prestat_get', 3, 0)).toBe(ERRNO.badFile);
    expect(call('path_open', 3, 0, 0, 1, 0, 0n, 0n, 0, 0)).toBe(ERRNO.badFile);
    expect(call('sock_accept', 0, 0, 0)).toBe(ERRNO.notSocket);
    expect(call('fd_write', 0, 0, 0, 0)).toBe(ERRNO.badFile);
    expect(call('fd_close', 1)).toBe(ERRNO.success);
    expect(call('fd_write', 1, 0, 0, 0)).toBe(ERRNO.badFile);
  });

  it('tells the time in coarse steps', () => {
    const { call, view } = wasiWith();
    expect(call('clock_time_get', 0, 0n, 0)).toBe(ERRNO.success);
    const now = view.getBigUint64(0, true);
    expect(now % 100_000n).toBe(0n);
    expect(Math.abs(Number(now / 1_000_000n) - Date.now())).toBeLessThan(60_000);
    expect(call('clock_time_get', 9, 0n, 0)).toBe(ERRNO.invalid);
  });

  it('waits for the first clock of a poll and reports what is due', () => {
    const { call, view, slept } = wasiWith();
    const subscribe = (at: number, userdata: bigint, timeoutNs: bigint) => {
      view.setBigUint64(at, userdata, true);
      view.setUint32(at + 16, 1, true);
      view.setBigUint64(at + 24, timeoutNs, true);
    };
    subscribe(0, 7n, 9_000_000n);
    subscribe(48, 8n, 2_000_000n);
    expect(call('poll_oneoff', 0, 1_024, 2, 2_048)).toBe(ERRNO.success);
    expect(slept).toEqual([2]);
    expect([view.getUint32(2_048, true), view.getBigUint64(1_024, true)]).toEqual([1, 8n]);
    expect(call('poll_oneoff', 0, 1_024, 0, 2_048)).toBe(ERRNO.invalid);
  });

  it('fills memory with random bytes', () => {
    const { call, bytes } = wasiWith();
    expect(call('random_get', 0, 32)).toBe(ERRNO.success);
    expect(new Set(bytes.subarray(0, 32)).size).toBeGreaterThan(8);
  });

  it('spends fuel for each call, and for each byte that the host moves', () => {
    const { call, view, spentBy } = wasiWith({ args: ['program'], stdin: 'abcde' });
    expect(spentBy(() => call('sched_yield'))).toBe(200);
    expect(spentBy(() => call('random_get', 0, 65_536))).toBe(200 + 65_536);
    expect(spentBy(() => call('args_get', 16, 64))).toBe(200 + 50 + 8);
    view.setUint32(0, 100, true);
    view.setUint32(4, 40, true);
    // Also what the output drops, as it was read.
    expect(spentBy(() => call('fd_write', 1, 0, 1, 8))).toBe(200 + 50 + 40);
    expect(spentBy(() => call('fd_read', 0, 0, 1, 8))).toBe(200 + 50 + 5);
    expect(spentBy(() => call('random_get', OUTSIDE, 100))).toBe(200);
    view.setUint32(216, 9, true);
    expect(spentBy(() => call('poll_oneoff', 200, 1_024, 1, 2_048))).toBe(200 + 50);
  });

  it('exits with the code of the program', () => {
    const { call } = wasiWith();
    expect(() => call('proc_exit', -1)).toThrow(new ExitSignal(4_294_967_295));
  });
});

describe('a bounded output', () => {
  it('is full exactly at its limit', () => {
    const output = new BoundedOutput(3);
    output.write(Buffer.from('abc'));
    expect(output.truncated).toBe(false);
    output.write(Buffer.from('d'));
    expect(output.truncated).toBe(true);
  });
});
