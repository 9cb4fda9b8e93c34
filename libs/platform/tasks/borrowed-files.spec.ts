import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { BorrowedFiles, type BorrowedFilesOptions } from './borrowed-files.js';
import { filePartsTopicOf, fileRequestsTopicOf, PART_BYTES } from './file.protocol.js';
import { LentFiles } from './lent-files.js';
import { TaskSeal } from './task.seal.js';

const logger = pino({ level: 'silent' });
const BYTES = 2 * PART_BYTES + 7;

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('files that a process lends to workers', () => {
  let folder: string;
  let bus: Bus;
  let seal: TaskSeal;
  let lent: LentFiles;
  let published: { readonly topic: string; readonly message: BusMessage }[];
  /** The effect of the wire on a message; null loses it. */
  let wire: (topic: string, message: BusMessage) => BusMessage | null;
  const borrowers: BorrowedFiles[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-lent-'));
    const inner = createInProcessBus();
    published = [];
    wire = (_, message) => message;
    bus = Object.assign(Object.create(inner) as Bus, {
      publish: (topic: string, messages: readonly BusMessage[]) => {
        const passed = messages.flatMap((message) => {
          published.push({ topic, message });
          return wire(topic, message) ?? [];
        });
        return inner.publish(topic, passed);
      },
      listen: (options: Parameters<Bus['listen']>[0]) => inner.listen(options),
      close: () => inner.close(),
    });
    seal = new TaskSeal(randomBytes(32));
    lent = new LentFiles({ bus, instance: 'gateway-1', seal, logger });
  });

  afterEach(async () => {
    await lent.close();
    await Promise.all(borrowers.splice(0).map((one) => one.stop()));
    await bus.close();
    await rm(folder, { recursive: true });
  });

  const copies = () => path.join(folder, 'borrowed');
  const borrower = (more: Partial<BorrowedFilesOptions> = {}): BorrowedFiles => {
    const options = { bus, worker: 'worker-1', seal, folder: copies(), logger, partMs: 5_000 };
    const files = new BorrowedFiles({ ...options, ...more });
    borrowers.push(files);
    return files;
  };
  const lend = async (content: Buffer, sha256 = sha256Of(content)) => {
    const file = path.join(folder, randomUUID());
    await writeFile(file, content);
    return { sha256, lender: await lent.lend({ sha256, file }), file };
  };
  const requests = () =>
    published.filter(({ topic }) => topic === fileRequestsTopicOf('gateway-1')).length;

  it('arrive whole, in parts, for the owner alone', async () => {
    const content = randomBytes(BYTES);
    const file = await borrower().fileOf(await lend(content));
    expect((await readFile(file)).equals(content)).toBe(true);
    expect(requests()).toBe(3);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(copies())).mode & 0o777).toBe(0o700);
  });

  it('are copied once, for all who want them, now and after a restart', async () => {
    const borrowed = await lend(randomBytes(10));
    const files = borrower();
    await Promise.all([files.fileOf(borrowed), files.fileOf(borrowed)]);
    await files.fileOf(borrowed);
    await borrower({ worker: 'worker-2' }).fileOf(borrowed);
    expect(requests()).toBe(1);
  });

  it('are copied again where the copy is damaged or gone', async () => {
    const content = randomBytes(10);
    const borrowed = await lend(content);
    const file = await borrower().fileOf(borrowed);
    await writeFile(file, 'damaged');
    const files = borrower({ worker: 'worker-2' });
    expect((await readFile(await files.fileOf(borrowed))).equals(content)).toBe(true);
    await rm(file);
    expect((await readFile(await files.fileOf(borrowed))).equals(content)).toBe(true);
    expect(requests()).toBe(3);
  });

  it('arrive although messages of both kinds are lost', async () => {
    const content = randomBytes(BYTES);
    const borrowed = await lend(content);
    let sent = 0;
    wire = (_, message) => {
      sent += 1;
      // The answer to the first request, then the second request.
      return sent === 2 || sent === 3 ? null : message;
    };
    const file = await borrower({ partMs: 200 }).fileOf(borrowed);
    expect((await readFile(file)).equals(content)).toBe(true);
    expect(requests()).toBeGreaterThanOrEqual(5);
  });

  it('are refused when they are not what was lent, and nothing is kept', async () => {
    const { sha256, lender, file } = await lend(randomBytes(BYTES));
    await writeFile(file, randomBytes(BYTES));
    await expect(borrower().fileOf({ sha256, lender })).rejects.toThrow(
      `what gateway-1 sent is not the file ${sha256}`,
    );
    expect(await readdir(copies())).toEqual([]);
  });

  it('are refused when they change as they are copied', async () => {
    const { file, ...borrowed } = await lend(randomBytes(BYTES));
    wire = (topic, message) => {
      if (topic === fileRequestsTopicOf('gateway-1') && requests() === 2) {
        void writeFile(file, 'short');
      }
      return message;
    };
    await expect(borrower().fileOf(borrowed)).rejects.toMatchObject({
      name: 'FileNotBorrowedError',
    });
  });

  it('are not sent where they are not lent, are gone, or no process answers', async () => {
    const borrowed = await lend(randomBytes(10));
    await rm(borrowed.file);
    const files = borrower();
    await expect(files.fileOf(borrowed)).rejects.toThrow('does not lend the file');
    const unknown = { sha256: 'ab'.repeat(32), lender: 'gateway-1' };
    await expect(files.fileOf(unknown)).rejects.toThrow('does not lend the file');
    const silent = { sha256: 'ab'.repeat(32), lender: 'gateway-2' };
    await expect(borrower({ partMs: 50 }).fileOf(silent)).rejects.toThrow('could not be copied');
    const asked = published.filter(({ topic }) => topic === fileRequestsTopicOf('gateway-2'));
    expect(asked).toHaveLength(3);
  });

  it('are sent to holders of the key alone, and are not readable on the way', async () => {
    const content = Buffer.alloc(1_000, 'low-rank');
    const borrowed = await lend(content);
    await borrower().fileOf(borrowed);
    const wired = JSON.stringify(published);
    expect(wired).not.toContain(content.toString('base64').slice(0, 40));
    expect(wired).not.toContain(borrowed.sha256);
    const other = borrower({
      seal: new TaskSeal(randomBytes(32)),
      worker: 'worker-2',
      folder,
      partMs: 50,
    });
    await expect(other.fileOf(borrowed)).rejects.toThrow('could not be copied');
    expect(published.filter(({ topic }) => topic === filePartsTopicOf('worker-2'))).toEqual([]);
  });

  it('leave room for others: the longest unused copy goes first', async () => {
    const files = borrower({ bytesMax: 25 });
    const [first, second, third] = await Promise.all(
      Array.from({ length: 3 }, () => lend(randomBytes(10))),
    );
    if (!first || !second || !third) throw new Error('three files are lent');
    const paths = [await files.fileOf(first), await files.fileOf(second)];
    const past = new Date(Date.now() - 60_000);
    for (const file of paths) await utimes(file, past, past);
    await files.fileOf(first);
    await files.fileOf(third);
    expect((await readdir(copies())).toSorted()).toEqual([first.sha256, third.sha256].toSorted());
  });

  it('go when they were unused for a day, and unfinished ones at a start', async () => {
    await mkdir(copies());
    const names = ['aa'.repeat(32), 'bb'.repeat(32), `${'cc'.repeat(32)}.${randomUUID()}`];
    for (const name of names) await writeFile(path.join(copies(), name), 'x');
    const past = new Date(Date.now() - 25 * 3_600_000);
    await utimes(path.join(copies(), 'aa'.repeat(32)), past, past);
    await borrower().start();
    expect(await readdir(copies())).toEqual(['bb'.repeat(32)]);
  });
});
