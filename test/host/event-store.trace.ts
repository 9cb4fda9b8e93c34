import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Report, reportOf } from './event-store.script.js';

/** The effect of a system call on a file, or a line that the writer printed. */
export type TraceStep =
  | {
      readonly kind: 'write';
      readonly file: string;
      readonly offset: number;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'truncate'; readonly file: string; readonly size: number }
  | { readonly kind: 'unlink'; readonly file: string }
  /** Covers the steps before `began`: the call may have missed what ended while it ran. */
  | { readonly kind: 'sync'; readonly file: string; readonly began: number }
  | { readonly kind: 'report'; readonly report: Report };

/** Longer than the largest write that SQLite makes here, so that none is cut short in the trace. */
const STRING_BYTES_MAX = 1_048_576;

/** Makes strace write what `readTrace` reads: paths and bytes in hexadecimal. */
export const traceInto = (file: string): readonly string[] => [
  '--seccomp-bpf',
  '-y',
  '-xx',
  '-s',
  String(STRING_BYTES_MAX),
  '-e',
  'trace=pwrite64,write,fdatasync,fsync,ftruncate,unlink',
  '-o',
  file,
];

const LINE = /^(\d+) +(.*)$/s;
const RESUMED = /^<\.\.\. \w+ resumed>(.*)$/s;
const UNFINISHED = ' <unfinished ...>';
const CALL = /^(\w+)\((?:(\d+)<((?:\\x..)*)>)?(?:, )?(.*)\) += (-?\d+)/s;
const STDOUT = '1';

const bytesOf = (quoted: string): Buffer => Buffer.from(quoted.replaceAll(/\\x|"/g, ''), 'hex');

/** Arguments behind the descriptor: a string in quotes, then numbers; or numbers alone. */
const writeArguments = (rest: string): { bytes: Buffer; offset: number } => {
  const end = rest.lastIndexOf('"');
  const [, , offset = '0'] = rest.slice(end + 1).split(', ');
  return { bytes: bytesOf(rest.slice(0, end)), offset: Number(offset) };
};

const stepOf = (call: string, began: number): TraceStep[] => {
  const [, name = '', descriptor, hexPath = '', rest = '', result = ''] = CALL.exec(call) ?? [];
  if (name === '' || Number(result) < 0) return [];
  const file = bytesOf(hexPath).toString();
  switch (name) {
    case 'pwrite64':
      return [{ kind: 'write', file, ...writeArguments(rest) }];
    case 'write':
      if (descriptor !== STDOUT) return [];
      return [{ kind: 'report', report: reportOf(writeArguments(rest).bytes.toString().trim()) }];
    case 'ftruncate':
      return [{ kind: 'truncate', file, size: Number(rest) }];
    case 'unlink':
      return [{ kind: 'unlink', file: bytesOf(rest).toString() }];
    case 'fsync':
    case 'fdatasync':
      return [{ kind: 'sync', file, began }];
    default:
      return [];
  }
};

/** The calls in the order in which they ended; a thread's own calls never overlap. */
export const readTrace = async (file: string): Promise<readonly TraceStep[]> => {
  const steps: TraceStep[] = [];
  const unfinished = new Map<string, { call: string; began: number }>();
  const lines = createInterface({ input: createReadStream(file, 'latin1') });
  for await (const line of lines) {
    const [, thread = '', text = ''] = LINE.exec(line) ?? [];
    const resumed = RESUMED.exec(text)?.[1];
    if (text.endsWith(UNFINISHED)) {
      const call = text.slice(0, -UNFINISHED.length);
      unfinished.set(thread, { call, began: steps.length });
    } else if (resumed === undefined) steps.push(...stepOf(text, steps.length));
    else {
      const { call = '', began = steps.length } = unfinished.get(thread) ?? {};
      unfinished.delete(thread);
      steps.push(...stepOf(call + resumed, began));
    }
  }
  return steps;
};
