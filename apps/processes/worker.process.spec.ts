import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inferenceArea } from '#areas/inference/inference.area.js';
import { readSettings } from '../composition/settings.js';
import { startWorkerProcess } from './worker.process.js';
import { silent } from '../worker/worker.fixture.js';

describe('a worker as a process', () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-worker-'));
  });

  afterEach(() => rm(home, { recursive: true }));

  const start = (QUIPU_BUS: string, QUIPU_WORKER_ENGINES = '') => {
    const settings = readSettings({ QUIPU_HOME: home, QUIPU_BUS, QUIPU_WORKER_ENGINES });
    return startWorkerProcess(settings, silent, [inferenceArea]);
  };

  it('does not start on a bus inside one process', async () => {
    await expect(start('memory:')).rejects.toThrow(/QUIPU_BUS: a worker needs a bus/);
  });

  it('does not start without the key of its gateways, and creates none', async () => {
    for (let n = 0; n < 2; n += 1) {
      await expect(start('kafka://127.0.0.1:1')).rejects.toThrow(
        /QUIPU_MASTER_KEY_FILE: there is no .*master\.key: put .*a worker needs/,
      );
    }
  });

  it('does not start with an engine that no area declares', async () => {
    await expect(start('kafka://127.0.0.1:1', 'text,abacus')).rejects.toThrow(
      /QUIPU_WORKER_ENGINES: there is no engine abacus; the engines are text/,
    );
  });
});
