/** Files that tasks name, and files that pieces of a task bring back in parts. */
import { z } from 'zod';
import { type EngineHost } from './engine.js';
import { type LentFile } from './file.protocol.js';
import { TaskError } from './task.error.js';
import { type Tasks } from './tasks.port.js';

/** A file of this machine, or one that a worker copies from the process that asks. */
export const TaskFile = z.union([
  z.strictObject({ file: z.string() }),
  z.strictObject({ sha256: z.string().regex(/^[\da-f]{64}$/), lender: z.string() }),
]);
export type TaskFile = z.infer<typeof TaskFile>;

/** @throws TaskError `no_worker` */
export const handOver = async (tasks: Tasks, file: LentFile): Promise<TaskFile> =>
  tasks.seesLocalFiles
    ? { file: file.file }
    : { sha256: file.sha256, lender: await tasks.lend(file) };

/** The path of a file of a task where its engine runs. @throws FileNotBorrowedError */
export const pathOf = async (file: TaskFile, borrow: EngineHost['borrow']): Promise<string> => {
  if ('file' in file) return file.file;
  if (borrow) return borrow(file);
  throw new TaskError('failed', 'this process cannot copy files of others');
};

/** A part of a file in base64; the last one ends it. */
export const TaskFilePart = z.strictObject({ content: z.base64(), isLast: z.boolean() });
export type TaskFilePart = z.infer<typeof TaskFilePart>;

/** Of content in one piece; base64 makes four thirds of it, and a piece has 700,000 bytes. */
const PART_BYTES = 480_000;

export function* partsOf(content: Uint8Array): Generator<TaskFilePart, void> {
  for (let at = 0; at === 0 || at < content.length; at += PART_BYTES) {
    const part = content.subarray(at, at + PART_BYTES);
    const isLast = at + PART_BYTES >= content.length;
    yield { content: Buffer.from(part).toString('base64'), isLast };
  }
}
