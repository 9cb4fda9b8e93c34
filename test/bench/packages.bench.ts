/**
 * The archive of a package, beside `tar | sha256sum`: `npm run packages -- [MiB]`. Three hashes are
 * taken of every byte: of the file, of the archive and of the package. The best of three rounds, in
 * turns, on one file.
 */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { writeArchive } from '../../libs/areas/packages/archive/archive-writer.js';
import { type ContentFile, contentOf } from '../../libs/areas/packages/archive/content.js';
import { FileObjectStore } from '../../libs/platform/blobs/file/file-object-store.js';
import { type Blobs } from '../../libs/platform/blobs/blobs.port.js';
import { type Pieces } from '../../libs/platform/blobs/pieces.js';
import { StoredBlobs } from '../../libs/platform/blobs/stored-blobs.js';
import { systemClock } from '../../libs/platform/kernel/clock.js';
import { openSecrets } from '../../libs/platform/secrets/secrets.js';

const ROUNDS = 3;
const MIB = 1_024 ** 2;
const MIB_DEFAULT = 512;

const mib = Number(process.argv[2] ?? MIB_DEFAULT);
const folder = await mkdtemp(path.join(tmpdir(), 'quipu-packages-bench-'));
const file = path.join(folder, 'model.gguf');

/** Reads what is put, and keeps nothing. */
const discarding = {
  put: async (source: Pieces) => {
    for await (const piece of source) if (piece.length < 0) break;
    return { address: '', owner: null, bytes: 0 };
  },
} as unknown as Blobs;

const writeModel = async (): Promise<void> => {
  const handle = await open(file, 'w');
  const block = randomBytes(MIB);
  for (let written = 0; written < mib; written += 1) await handle.write(block);
  await handle.close();
};

const sha256Of = async (): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
};

const filesOf = async (): Promise<readonly ContentFile[]> =>
  contentOf(
    {
      ...{ modelId: 'bench', kind: 'chat', file, fileName: 'model.gguf', bytes: mib * MIB },
      ...{ sha256: await sha256Of(), architecture: null, contextTokens: 1, maxOutputTokens: 1 },
      ...{ dimensions: null, card: '', licence: { spdxId: null, text: '' }, isOwned: false },
    },
    null,
    { module: '', script: '' },
  );

try {
  await writeModel();
  const files = await filesOf();
  const secrets = await openSecrets({ directory: folder });
  const objects = new FileObjectStore(path.join(folder, 'blobs'));
  const logger = pino({ level: 'silent' });
  const stored = new StoredBlobs({ objects, secrets, clock: systemClock, logger });
  const options = { onBytes: () => undefined, signal: new AbortController().signal };
  const tar = `tar --format=ustar -cf - -C ${folder} model.gguf`;
  const lanes: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['tar | sha256sum', () => promisify(execFile)('sh', ['-c', `${tar} | sha256sum`])],
    ['archive and hashes', () => writeArchive(discarding, files, null, options)],
    ['archive as a sealed, durable blob', () => writeArchive(stored, files, null, options)],
  ];
  const best = new Map(lanes.map(([name]) => [name, 0]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of lanes) {
      const since = performance.now();
      await run();
      const rate = (mib * 1_000) / (performance.now() - since);
      best.set(name, Math.max(best.get(name) ?? 0, rate));
    }
  }
  const peer = best.get('tar | sha256sum') ?? 1;
  for (const [name, rate] of best) {
    console.log(`${name}: ${Math.round(rate)} MiB/s, ${(rate / peer).toFixed(2)}x of tar`);
  }
  await stored.close();
  secrets.close();
} finally {
  await rm(folder, { recursive: true });
}
