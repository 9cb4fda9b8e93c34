import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { BLOB_KEPT_MS } from '#platform/blobs/blobs.port.js';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { StoredBlobs } from '#platform/blobs/stored-blobs.js';
import { openSecrets } from '#platform/secrets/secrets.js';

const WRITER = path.join(import.meta.dirname, 'blobs.writer.ts');

describe('a writer of blobs that is killed', () => {
  it('leaves no blob, and a part that a later sweep removes', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'quipu-blobs-kill-'));
    const [folder, secretsFolder] = [path.join(home, 'blobs'), path.join(home, 'secrets')];
    const environment = { ...process.env, NODE_OPTIONS: '' };
    const writer = spawn(process.execPath, [WRITER, folder, secretsFolder], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(writer, 'exit');
    await Promise.race([once(writer.stdout, 'data'), ended]);
    writer.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await readdir(folder)).toEqual(['staging']);
    expect(await readdir(path.join(folder, 'staging'))).toHaveLength(1);

    const secrets = await openSecrets({ directory: secretsFolder });
    const objects = new FileObjectStore(folder);
    const clock = { now: () => Date.now() + BLOB_KEPT_MS + 60_000 };
    const blobs = new StoredBlobs({ objects, secrets, clock, logger: pino({ level: 'silent' }) });
    const report = await blobs.sweep();
    expect(report).toMatchObject({ blobsKept: 0, blobsRemoved: 0 });
    expect(report.bytesFreed).toBeGreaterThan(1_048_576);
    expect(await readdir(path.join(folder, 'staging'))).toEqual([]);
    await blobs.close();
    secrets.close();
    await rm(home, { recursive: true });
  });
});
