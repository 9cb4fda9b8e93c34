import { randomFillSync } from 'node:crypto';
import { HOST_FUEL } from '../metering/work-costs.js';
import { isRangeError } from '../range-error.js';
import { BoundedOutput } from './bounded-output.js';
import { ERRNO } from './errno.js';
import { GuestMemory } from './guest-memory.js';
import { WASI_MODULE, WASI_NAMES } from './preview1-signatures.js';
import { pollOneOff, type Sleep, SUBSCRIPTIONS_MAX } from './poll.js';

/** Ends the module from within `proc_exit`. */
export class ExitSignal extends Error {
  override readonly name = 'ExitSignal';

  constructor(readonly exitCode: number) {
    super(`the module exited with ${exitCode}`);
  }
}

export interface WasiOptions {
  /** `argv`, the name of the program first. */
  readonly args: readonly string[];
  readonly stdin: Uint8Array;
  /** Of each of the two outputs. */
  readonly outputBytesMax: number;
  readonly sleep: Sleep;
  /** Adds fuel for the work that follows. @throws StopSignal when it is spent */
  readonly spend: (fuel: number) => void;
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const CHARACTER_DEVICE = 2;
const RIGHT_READ = 1n << 1n;
const RIGHT_WRITE = 1n << 6n;
const FILESTAT_BYTES = 64;
const CLOCKS = 4;
const REALTIME = 0;
const RANDOM_PART_BYTES = 65_536;
/** Coarse, so that a module cannot time the caches of the process that it runs in. */
const CLOCK_STEP_NS = 100_000n;

type HostFunction = (...args: never[]) => unknown;

/**
 * WASI preview 1 with arguments, standard streams, clocks and randomness. It opens no file and no
 * socket: there is no directory to open one from.
 */
export class WasiPreview1 {
  readonly stdout: BoundedOutput;
  readonly stderr: BoundedOutput;
  readonly memory = new GuestMemory();
  readonly #args: readonly Uint8Array[];
  readonly #open = new Set([STDIN, STDOUT, STDERR]);
  #stdin: Uint8Array;

  constructor(private readonly options: WasiOptions) {
    this.stdout = new BoundedOutput(options.outputBytesMax);
    this.stderr = new BoundedOutput(options.outputBytesMax);
    this.#stdin = options.stdin;
    this.#args = options.args.map((arg) => new TextEncoder().encode(`${arg}\0`));
  }

  imports(): WebAssembly.Imports {
    const own: Readonly<Record<string, HostFunction>> = {
      args_sizes_get: this.#argsSizes,
      args_get: this.#argsGet,
      environ_sizes_get: this.#environSizes,
      environ_get: () => ERRNO.success,
      clock_res_get: this.#clockRes,
      clock_time_get: this.#clockTime,
      fd_close: (file: number) => (this.#open.delete(file) ? ERRNO.success : ERRNO.badFile),
      fd_fdstat_get: this.#fdstat,
      fd_fdstat_set_flags: this.#ofOpenFile(() => ERRNO.success),
      fd_filestat_get: this.#filestat,
      fd_read: this.#read,
      fd_write: this.#write,
      fd_seek: this.#ofOpenFile(() => ERRNO.illegalSeek),
      fd_tell: this.#ofOpenFile(() => ERRNO.illegalSeek),
      poll_oneoff: this.#poll,
      proc_exit: (code: number) => {
        throw new ExitSignal(code >>> 0);
      },
      proc_raise: () => ERRNO.noSys,
      random_get: this.#random,
      sched_yield: () => ERRNO.success,
    };
    const entries = WASI_NAMES.map((name) => {
      const implementation = own[name] ?? this.#unavailable(name);
      return [
        name,
        (...args: never[]) => {
          this.options.spend(HOST_FUEL.call);
          return guarded(implementation, args);
        },
      ];
    });
    return { [WASI_MODULE]: Object.fromEntries(entries) as WebAssembly.ModuleImports };
  }

  /** Functions of files and sockets that the three streams do not have. */
  #unavailable(name: string): HostFunction {
    const errno = name.startsWith('sock_') ? ERRNO.notSocket : ERRNO.notSupported;
    const isOfDirectory = name.startsWith('path_') || name.startsWith('fd_prestat_');
    return isOfDirectory ? () => ERRNO.badFile : this.#ofOpenFile(() => errno);
  }

  #ofOpenFile(answer: () => number): HostFunction {
    return (file: number) => (this.#open.has(file) ? answer() : ERRNO.badFile);
  }

  readonly #argsSizes = (countAt: number, bytesAt: number): number => {
    const view = this.memory.view();
    view.setUint32(countAt >>> 0, this.#args.length, true);
    const bytes = this.#args.reduce((sum, { length }) => sum + length, 0);
    view.setUint32(bytesAt >>> 0, bytes, true);
    return ERRNO.success;
  };

  readonly #argsGet = (pointersAt: number, textAt: number): number => {
    const view = this.memory.view();
    let [pointer, text] = [pointersAt >>> 0, textAt >>> 0];
    for (const arg of this.#args) {
      this.options.spend(HOST_FUEL.entry + HOST_FUEL.byte * arg.length);
      view.setUint32(pointer, text, true);
      this.memory.bytes(text, arg.length).set(arg);
      pointer += 4;
      text += arg.length;
    }
    return ERRNO.success;
  };

  readonly #environSizes = (countAt: number, bytesAt: number): number => {
    const view = this.memory.view();
    view.setUint32(countAt >>> 0, 0, true);
    view.setUint32(bytesAt >>> 0, 0, true);
    return ERRNO.success;
  };

  readonly #clockRes = (clock: number, at: number): number => {
    if (clock >>> 0 >= CLOCKS) return ERRNO.invalid;
    this.memory.view().setBigUint64(at >>> 0, CLOCK_STEP_NS, true);
    return ERRNO.success;
  };

  readonly #clockTime = (clock: number, _precision: bigint, at: number): number => {
    if (clock >>> 0 >= CLOCKS) return ERRNO.invalid;
    this.memory.view().setBigUint64(at >>> 0, clockTimeNs(clock), true);
    return ERRNO.success;
  };

  readonly #fdstat = (file: number, at: number): number => {
    if (!this.#open.has(file)) return ERRNO.badFile;
    this.memory.bytes(at, 24).fill(0);
    const view = this.memory.view();
    view.setUint8(at >>> 0, CHARACTER_DEVICE);
    view.setBigUint64((at >>> 0) + 8, file === STDIN ? RIGHT_READ : RIGHT_WRITE, true);
    return ERRNO.success;
  };

  readonly #filestat = (file: number, at: number): number => {
    if (!this.#open.has(file)) return ERRNO.badFile;
    this.memory.bytes(at, FILESTAT_BYTES).fill(0);
    this.memory.view().setUint8((at >>> 0) + 16, CHARACTER_DEVICE);
    return ERRNO.success;
  };

  /** In parts, between which the clock is read. */
  readonly #random = (address: number, length: number): number => {
    const bytes = this.memory.bytes(address, length);
    for (let at = 0; at < bytes.length; at += RANDOM_PART_BYTES) {
      const part = bytes.subarray(at, at + RANDOM_PART_BYTES);
      this.options.spend(HOST_FUEL.byte * part.length);
      randomFillSync(part);
    }
    return ERRNO.success;
  };

  readonly #read = (file: number, vectors: number, count: number, readAt: number): number => {
    if (!this.#open.has(file) || file !== STDIN) return ERRNO.badFile;
    let read = 0;
    for (const bytes of this.#vectors(vectors, count)) {
      const taken = Math.min(bytes.length, this.#stdin.length);
      this.options.spend(HOST_FUEL.byte * taken);
      bytes.set(this.#stdin.subarray(0, taken));
      this.#stdin = this.#stdin.subarray(taken);
      read += taken;
      if (this.#stdin.length === 0) break;
    }
    this.memory.view().setUint32(readAt >>> 0, read, true);
    return ERRNO.success;
  };

  readonly #write = (file: number, vectors: number, count: number, writtenAt: number): number => {
    if (!this.#open.has(file) || file === STDIN) return ERRNO.badFile;
    const output = file === STDOUT ? this.stdout : this.stderr;
    let written = 0;
    for (const bytes of this.#vectors(vectors, count)) {
      this.options.spend(HOST_FUEL.byte * bytes.length);
      output.write(bytes);
      written += bytes.length;
    }
    this.memory.view().setUint32(writtenAt >>> 0, written, true);
    return ERRNO.success;
  };

  *#vectors(vectors: number, count: number): Generator<Uint8Array, void, void> {
    const list = this.memory.bytes(vectors, (count >>> 0) * 8);
    this.options.spend(HOST_FUEL.entry * (count >>> 0));
    const view = new DataView(list.buffer, list.byteOffset, list.byteLength);
    for (let at = 0; at < view.byteLength; at += 8) {
      yield this.memory.bytes(view.getUint32(at, true), view.getUint32(at + 4, true));
    }
  }

  readonly #poll = (from: number, to: number, count: number, countAt: number): number => {
    const { sleep, spend } = this.options;
    spend(HOST_FUEL.entry * Math.min(count >>> 0, SUBSCRIPTIONS_MAX));
    const readable = this.#stdin.length;
    const place = { from: from >>> 0, to: to >>> 0, count: count >>> 0, countAt: countAt >>> 0 };
    return pollOneOff(this.memory, place, { sleep, readable, now: clockTimeNs });
  };
}

/** In nanoseconds: since the Unix epoch, or of a clock that never steps back. */
const clockTimeNs = (clock: number): bigint => {
  const ms = clock === REALTIME ? Date.now() : performance.now();
  const ns = BigInt(Math.floor(ms * 1_000)) * 1_000n;
  return ns - (ns % CLOCK_STEP_NS);
};

/** An address outside of the memory is the module's mistake, and an error number to it. */
const guarded = (implementation: HostFunction, args: never[]): unknown => {
  try {
    return implementation(...args);
  } catch (error) {
    if (isRangeError(error)) return ERRNO.fault;
    throw error;
  }
};
