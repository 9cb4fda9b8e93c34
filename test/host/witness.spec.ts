import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Standalone } from '#apps/processes/standalone.process.js';
import { logSignerOf } from '#areas/audit/log-signer.js';
import { verifyCheckpoint } from '#platform/audit/checkpoint.js';
import {
  encodeVerifierKey,
  parseVerifierKey,
  type VerifierKey,
} from '#platform/audit/signed-note.js';
import { counted } from '#platform/event-store/event-store.fixture.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { systemClock } from '#platform/kernel/clock.js';
import { LoggedInstallationKey } from '#platform/runtime/master-key/logged-installation-key.js';
import { openSecrets } from '#platform/secrets/secrets.js';
import { loadQuipu } from '../end-to-end/loaded-quipu.js';
import { scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { goProgram } from '../servers/go-program.js';

const ORIGIN = 'quipu.test/witnessed';

/** No request reaches a rig. */
const NO_UPSTREAM = 'http://127.0.0.1:9/v1';

describe('a witness that others wrote', () => {
  /** Undoes what `beforeAll` has done, also when it fails. */
  const closing: (() => Promise<unknown>)[] = [];
  let witnessKey: string;
  let environment: NodeJS.ProcessEnv;
  let logKey: VerifierKey;

  /** The first opening of the log chooses its key, which the witness has to know. */
  const keyOfLog = async (home: string): Promise<VerifierKey> => {
    const log = await openSqliteEventStore({ file: path.join(home, 'events.db') });
    const record = new LoggedInstallationKey(log, systemClock);
    const secrets = await openSecrets({ directory: home, record });
    secrets.close();
    await log.close();
    return logSignerOf(secrets, ORIGIN).key;
  };

  beforeAll(async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'quipu-witness-'));
    closing.push(() => rm(home, { recursive: true }));
    logKey = await keyOfLog(home);
    const program = await goProgram({
      name: 'witness',
      folder: 'test/host/witness',
      files: ['go.mod', 'go.sum', 'main.go'],
      package: '.',
    });
    const witness = spawn(program, [encodeVerifierKey(logKey)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    closing.push(async () => {
      witness.kill();
      await once(witness, 'exit');
    });
    const lines = createInterface({ input: witness.stdout });
    const [url, key] = await Array.fromAsync({
      async *[Symbol.asyncIterator]() {
        let left = 2;
        for await (const line of lines) {
          yield line;
          left -= 1;
          if (left === 0) return;
        }
      },
    });
    witnessKey = key ?? '';
    const catalog = path.join(home, 'catalog.yaml');
    await writeFile(catalog, scriptedCatalog(NO_UPSTREAM));
    environment = {
      QUIPU_HOME: home,
      QUIPU_CATALOG: catalog,
      QUIPU_LOG_LEVEL: 'silent',
      QUIPU_AUDIT_CHECKPOINT_MS: '50',
      QUIPU_AUDIT_ORIGIN: ORIGIN,
      QUIPU_AUDIT_WITNESSES: `${witnessKey} ${url ?? ''}`,
    };
  });

  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  /** The size of a checkpoint of at least this many leaves that the witness has cosigned. */
  const cosigned = async (quipu: Standalone, size: number): Promise<number> => {
    for (;;) {
      const note = await (await fetch(`${quipu.url}/audit/checkpoint`)).text();
      if (!note.startsWith('{')) {
        const checkpoint = verifyCheckpoint(note, logKey, [parseVerifierKey(witnessKey)]);
        if (checkpoint.size >= size && checkpoint.witnesses.length === 1) return checkpoint.size;
      }
      await sleep(50);
    }
  };

  const life = async (work: (quipu: Standalone) => Promise<void>): Promise<void> => {
    const { startStandalone } = await loadQuipu();
    const quipu = await startStandalone(environment);
    try {
      await work(quipu);
    } finally {
      await quipu.stop();
    }
  };

  it('cosigns the log as it grows, over a restart of the log', async () => {
    const { EVENT_STORE } = await loadQuipu();
    let size = 1;
    for (let lives = 0; lives < 2; lives += 1) {
      await life(async (quipu) => {
        const log = quipu.app.get<EventStore>(EVENT_STORE, { strict: false });
        for (let round = 0; round < 3; round += 1) {
          size = await cosigned(quipu, size);
          await log.append('counts-one', counted(100), 'any');
          size += 100;
        }
        size = await cosigned(quipu, size);
      });
    }
    expect(size).toBeGreaterThanOrEqual(600);
  });
});
