/**
 * Puts a blob without an end, and says when some of it is written.
 *
 * Node runs this file without a build, on the built blobs, so it is erasable TypeScript.
 */
import { pino } from 'pino';
import { FileObjectStore } from '#platform/blobs/file/file-object-store.js';
import { StoredBlobs } from '#platform/blobs/stored-blobs.js';
import { systemClock } from '#platform/kernel/clock.js';
import { openSecrets } from '#platform/secrets/secrets.js';

const WRITTEN = 4 * 1_048_576;

const [, , folder = '', secretsFolder = ''] = process.argv;
const secrets = await openSecrets({ directory: secretsFolder });
const objects = new FileObjectStore(folder);
const blobs = new StoredBlobs({
  objects,
  secrets,
  clock: systemClock,
  logger: pino({ level: 'silent' }),
});

async function* endless(): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(65_536, 'endless');
  for (let written = 0; ; written += piece.length) {
    if (written === WRITTEN) process.stdout.write('written\n');
    yield await new Promise<Buffer>((resolve) => setImmediate(resolve, piece));
  }
}

await blobs.put(endless(), { owner: 'user:1' });
