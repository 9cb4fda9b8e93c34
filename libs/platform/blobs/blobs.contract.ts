import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BlobsStage, type ObjectsUnderTest } from './blobs.fixture.js';
import { contentContract } from './content.contract.js';
import { damageContract } from './damage.contract.js';
import { memoryContract } from './memory.contract.js';
import { retentionContract } from './retention.contract.js';

/**
 * The contract of the blobs on every storage. `create` makes an empty one; an adapter supplies
 * nothing else.
 */
export const blobsContract = (adapter: string, create: () => Promise<ObjectsUnderTest>) =>
  describe(`Blobs contract: ${adapter}`, () => {
    const stage = new BlobsStage();
    beforeEach(() => stage.begin(create));
    afterEach(() => stage.end());

    contentContract(stage);
    damageContract(stage);
    retentionContract(stage);
    memoryContract(stage);

    it('reject everything once closed, and may be closed twice', async () => {
      const { blobs } = stage;
      const ref = await stage.put(Buffer.from('ada'));
      await blobs.close();
      await blobs.close();
      const unavailable = expect.objectContaining({ code: 'blobs-unavailable' });
      await expect(stage.put(Buffer.from('ada'))).rejects.toEqual(unavailable);
      await expect(blobs.open(ref)).rejects.toEqual(unavailable);
      await expect(blobs.retain(ref, 'file:1')).rejects.toEqual(unavailable);
      await expect(blobs.release(ref, 'file:1')).rejects.toEqual(unavailable);
      await expect(blobs.sweep()).rejects.toEqual(unavailable);
    });
  });
