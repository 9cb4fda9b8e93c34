import { createHash } from 'node:crypto';
import {
  ObjectChangedError,
  type ObjectName,
  type ObjectStore,
} from '#platform/blobs/object-store.port.js';

const EMPTY = createHash('sha256').digest('hex');
/** How often a copy begins again because the content is put again. */
const FINDS_MAX = 20;

export interface CopiedObject {
  readonly name: ObjectName;
  readonly bytes: number;
  readonly sha256: string;
}

/** @returns undefined where the object is gone */
export const copyObject = async (
  from: ObjectStore,
  to: ObjectStore,
  name: ObjectName,
): Promise<CopiedObject | undefined> => {
  for (let finds = 1; ; finds += 1) {
    const found = await from.tail(name, 0);
    if (!found) return undefined;
    const { bytes } = found;
    if (bytes === 0) {
      await to.mark(name);
      return { name, bytes, sha256: EMPTY };
    }
    try {
      const hash = createHash('sha256');
      await to.write(name, hashed(from.read(found, 0, bytes), hash));
      return { name, bytes, sha256: hash.digest('hex') };
    } catch (error) {
      await to.remove(name);
      if (!(error instanceof ObjectChangedError) || finds === FINDS_MAX) throw error;
    }
  }
};

async function* hashed(
  pieces: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
}
