import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { verifyCheckpoint } from '#platform/audit/checkpoint.js';
import { NoteSigner } from '#platform/audit/signed-note.js';
import { SqliteCheckpointStore } from '#platform/audit/sqlite/sqlite-checkpoint-store.js';
import { TreeKeeper } from '#platform/audit/tree-keeper.js';
import { TreeReader } from '#platform/audit/tree-reader.js';
import { counted, follow } from '#platform/event-store/event-store.fixture.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { FaultyReadStore } from '#platform/runtime/faulty-stores.fake.js';
import { type Witness } from './audit.settings.js';
import { CheckpointPublisher } from './checkpoint-publisher.js';

const signer = new NoteSigner('quipu.test/log', Buffer.alloc(32, 5));

/** A log with its tree, in files of its own; the checkpoints outlive it. */
interface Life {
  readonly log: EventStore;
  readonly publisher: CheckpointPublisher;
  readonly append: (count: number) => Promise<void>;
  readonly keep: () => Promise<void>;
}

describe('the publisher of checkpoints', () => {
  let folder: string;
  let checkpoints: SqliteCheckpointStore;
  let lives: Life[];
  let isLogDown: boolean;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quipu-publisher-'));
    checkpoints = new SqliteCheckpointStore(path.join(folder, 'audit.db'));
    lives = [];
    isLogDown = false;
  });

  afterEach(async () => {
    await Promise.all(lives.map(({ log }) => log.close()));
    await checkpoints.close();
    await rm(folder, { recursive: true });
  });

  const begin = async (
    witnesses: readonly Witness[] = [],
    checkpointEveryMs = 10,
  ): Promise<Life> => {
    const log = await openSqliteEventStore({ file: path.join(folder, `${lives.length}.db`) });
    const readStore = new FaultyReadStore();
    const publisher = new CheckpointPublisher(
      new TreeReader(readStore),
      checkpoints,
      signer,
      {
        head: () => (isLogDown ? Promise.reject(new Error('down')) : log.head()),
        readAll: (options) => log.readAll(options),
      },
      pino({ level: 'silent' }),
      { checkpointEveryMs, witnesses },
      { now: () => 0 },
    );
    const life: Life = {
      log,
      publisher,
      append: async (count) => {
        await log.append('account-ada', counted(count), 'any');
      },
      keep: async () => {
        const keeper = new TreeKeeper(readStore);
        const after = (await keeper.checkpoint()) ?? 0n;
        await follow(log, { after }, async (_, batch) => {
          await keeper.handle(batch);
          return batch.caughtUp;
        });
      },
    };
    lives.push(life);
    return life;
  };

  const published = async () => {
    const last = await checkpoints.last();
    return last && verifyCheckpoint(last.note, signer.key).size;
  };

  it('signs the tree as it grows, and nothing for an empty one', async () => {
    const { publisher, append, keep } = await begin();
    await publisher.publish();
    expect(await published()).toBeUndefined();
    for (const size of [3, 260]) {
      await append(size === 3 ? 3 : 257);
      await keep();
      await publisher.publish();
      await publisher.publish();
      expect(await published()).toBe(size);
    }
    expect(publisher.contradiction).toBeNull();
  });

  it('waits for a tree that is built again', async () => {
    const first = await begin();
    await first.append(5);
    await first.keep();
    await first.publisher.publish();
    const second = await begin();
    await second.append(5);
    await second.publisher.publish();
    expect(second.publisher.contradiction).toBeNull();
    expect(await published()).toBe(5);
  });

  it('signs nothing for a log that was put back to an earlier state', async () => {
    const first = await begin();
    await first.append(5);
    await first.keep();
    await first.publisher.publish();
    const restored = await begin();
    await restored.append(3);
    await restored.keep();
    await restored.publisher.publish();
    expect(restored.publisher.contradiction).toBe(
      'the log has 3 events, and a checkpoint of 5 was published',
    );
    await restored.append(4);
    await restored.keep();
    await restored.publisher.publish();
    expect(restored.publisher.contradiction).toBe(
      'the first 5 events differ from the checkpoint that was published',
    );
    expect(await published()).toBe(5);
  });

  it('leaves a checkpoint that another process has published meanwhile', async () => {
    const { publisher, append, keep } = await begin();
    await append(2);
    await keep();
    const racing = publisher.publish();
    await Promise.all([racing, publisher.publish()]);
    expect(await published()).toBe(2);
  });

  it('continues after a failure, which its status shows', async () => {
    const { publisher, append, keep } = await begin();
    await append(2);
    await keep();
    await checkpoints.close();
    await publisher.start();
    while (publisher.status().phase === 'starting') await new Promise(setImmediate);
    expect(publisher.status()).toMatchObject({ phase: 'stopped', failure: expect.any(String) });
    await publisher.stop();
    expect(publisher.status()).toMatchObject({ phase: 'closed' });
    checkpoints = new SqliteCheckpointStore(path.join(folder, 'audit.db'));
  });

  it('is live again after the log was unavailable, also if nothing was appended', async () => {
    const { publisher, append, keep } = await begin();
    await append(2);
    await keep();
    const reaches = async (phase: string) => {
      while (publisher.status().phase !== phase) await sleep(5);
    };
    await publisher.start();
    await reaches('live');
    isLogDown = true;
    await reaches('stopped');
    isLogDown = false;
    await reaches('live');
    expect(publisher.status().failure).toBeNull();
    await publisher.stop();
  });
});
