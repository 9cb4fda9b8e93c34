import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Standalone } from '#apps/processes/standalone.process.js';
import { counted } from '#platform/event-store/event-store.fixture.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { loadQuipu } from '../end-to-end/loaded-quipu.js';
import { scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { goProgram } from '../servers/go-program.js';

/** Enough for tiles of level 2. */
const EVENTS = 66_000;
const EVENTS_PER_APPEND = 1_000;

/** No request reaches a rig. */
const NO_UPSTREAM = 'http://127.0.0.1:9/v1';

describe('Go’s sumdb/tlog and sumdb/note', () => {
  /** Undoes what `beforeAll` has done, also when it fails. */
  const closing: (() => Promise<unknown>)[] = [];
  let quipu: Standalone;
  let tlog: string;

  beforeAll(async () => {
    tlog = await goProgram({
      name: 'tlog',
      folder: 'test/host/tlog',
      files: ['go.mod', 'go.sum', 'main.go'],
      package: '.',
    });
    const home = await mkdtemp(path.join(tmpdir(), 'quipu-tlog-'));
    closing.push(() => rm(home, { recursive: true }));
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(NO_UPSTREAM));
    const { startStandalone } = await loadQuipu();
    quipu = await startStandalone({
      QUIPU_HOME: home,
      QUIPU_CATALOG: catalog,
      QUIPU_LOG_LEVEL: 'silent',
      QUIPU_AUDIT_CHECKPOINT_MS: '50',
    });
    closing.push(() => quipu.stop());
  });

  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const text = async (target: string): Promise<string> =>
    (await fetch(`${quipu.url}${target}`)).text();

  /** The size of the last checkpoint, once it is at least this. */
  const published = async (size: number): Promise<number> => {
    for (;;) {
      const found = Number((await text('/audit/checkpoint')).split('\n')[1]);
      if (found >= size) return found;
      await sleep(100);
    }
  };

  const verify = async (leaves: readonly number[], sizes: readonly number[]) => {
    const key = (await text('/audit/key')).trimEnd();
    const words = [quipu.url, key, leaves.join(','), sizes.join(',')];
    const { stdout } = await promisify(execFile)(tlog, words);
    return JSON.parse(stdout) as Record<string, unknown>;
  };

  it('verify the checkpoint, the tiles and the proofs of the log', async () => {
    const { EVENT_STORE } = await loadQuipu();
    const log = quipu.app.get<EventStore>(EVENT_STORE, { strict: false });
    await log.append('counts-one', counted(900), 'any');
    const first = await published(900);
    const all = Array.from({ length: 900 }, (_, index) => index);
    const sizes = [1, 2, 3, 255, 256, 257, 511, 512, 768, 899, 900];
    expect(await verify(all, sizes)).toMatchObject({ leaves: 900, trees: sizes.length });

    for (let count = 0; count < EVENTS; count += EVENTS_PER_APPEND) {
      await log.append('counts-two', counted(EVENTS_PER_APPEND), 'any');
    }
    const size = await published(first + EVENTS);
    const leaves = [0, 1, first, 65_279, 65_280, 65_535, 65_536, size - 2, size - 1];
    const trees = [1, first, 65_535, 65_536, 65_537, size - 1, size];
    const report = await verify(leaves, trees);
    expect(report).toMatchObject({ leaves: leaves.length, trees: trees.length, size });
    expect(report['origin']).toMatch(/^quipu\.local\/[0-9a-f]{16}$/);
  });
});
