import { describe, expect, it } from '@jest/globals';
import { ADA, BOB, type BlobsStage, bytesOf, failed, gather, OWNERS } from './blobs.fixture.js';
import { CHUNK_BYTES, FRAME_BYTES } from './chunk.seal.js';

const CONTENT = bytesOf(2 * CHUNK_BYTES + 100);
const FRAMES_END = CONTENT.length + 3 * (FRAME_BYTES - CHUNK_BYTES);

/** Stored bytes that differ from the bytes that were put. */
export const damageContract = (stage: BlobsStage) =>
  describe('damage', () => {
    /** The bytes before the failure, and the failure. */
    const readUntilFailure = async (
      content: AsyncIterable<Uint8Array>,
    ): Promise<{ readonly read: Buffer; readonly failure: unknown }> => {
      const pieces: Uint8Array[] = [];
      try {
        for await (const piece of content) pieces.push(piece);
      } catch (failure) {
        return { read: Buffer.concat(pieces), failure };
      }
      return { read: Buffer.concat(pieces), failure: undefined };
    };

    it.each(
      [0, FRAME_BYTES - 1, FRAME_BYTES + 5, 2 * FRAME_BYTES, FRAMES_END - 1].flatMap((at) =>
        OWNERS.map((owner) => ({ at, owner })),
      ),
    )('of byte $at fails the read of $owner before its last piece', async ({ at, owner }) => {
      const stored = await stage.put(CONTENT, owner);
      const object = await stage.objectOf(stored);
      object.writeUInt8(object.readUInt8(at) ^ 1, at);
      await stage.overwrite(stored, object);
      const { read, failure } = await readUntilFailure((await stage.blobs.open(stored)).content);
      expect(failure).toEqual(failed('blob-damaged'));
      const verified = Math.floor(at / FRAME_BYTES) * CHUNK_BYTES;
      expect(read.equals(CONTENT.subarray(0, verified))).toBe(true);
    });

    it('fails a range that needs the chunk, and no other', async () => {
      const stored = await stage.put(CONTENT, ADA);
      const object = await stage.objectOf(stored);
      object.writeUInt8(object.readUInt8(FRAME_BYTES) ^ 1, FRAME_BYTES);
      await stage.overwrite(stored, object);
      const first = await stage.read(stored, { start: 10, end: CHUNK_BYTES });
      expect(first.equals(CONTENT.subarray(10, CHUNK_BYTES))).toBe(true);
      const last = await stage.read(stored, { start: 2 * CHUNK_BYTES });
      expect(last.equals(CONTENT.subarray(2 * CHUNK_BYTES))).toBe(true);
      const damaged = failed('blob-damaged');
      await expect(stage.read(stored, { start: 0 })).rejects.toEqual(damaged);
      await expect(stage.read(stored, { start: CHUNK_BYTES })).rejects.toEqual(damaged);
    });

    it.each([1, 4, 5, 6, 50])('of the footer, %d bytes before its end, shows', async (before) => {
      const stored = await stage.put(CONTENT, ADA);
      const object = await stage.objectOf(stored);
      const at = object.length - before;
      object.writeUInt8(object.readUInt8(at) ^ 4, at);
      await stage.overwrite(stored, object);
      await expect(stage.blobs.open(stored)).rejects.toEqual(failed('blob-damaged'));
    });

    it('shows where content is cut short at a chunk, or a chunk is repeated or moved', async () => {
      const stored = await stage.put(CONTENT, ADA);
      const object = await stage.objectOf(stored);
      const [one, two] = [
        object.subarray(0, FRAME_BYTES),
        object.subarray(FRAME_BYTES, 2 * FRAME_BYTES),
      ];
      const [last, footer] = [
        object.subarray(2 * FRAME_BYTES, FRAMES_END),
        object.subarray(FRAMES_END),
      ];
      for (const parts of [
        [one, two, footer],
        [one, one, two, last, footer],
        [two, one, last, footer],
        [last, footer],
        [one, two, last],
        [],
      ]) {
        await stage.overwrite(stored, Buffer.concat(parts));
        const reading = stage.blobs.open(stored).then(({ content }) => gather(content));
        await expect(reading).rejects.toEqual(failed('blob-damaged'));
      }
    });

    it('shows where one blob takes the name of another', async () => {
      const [mine, other] = [await stage.put(CONTENT, ADA), await stage.put(bytesOf(9), ADA)];
      const bob = await stage.put(bytesOf(9), BOB);
      for (const taken of [other, bob]) {
        await stage.overwrite(mine, await stage.objectOf(taken));
        await expect(stage.blobs.open(mine)).rejects.toEqual(failed('blob-damaged'));
      }
    });

    it('is repaired when the content is put again', async () => {
      const stored = await stage.put(CONTENT, ADA);
      await stage.overwrite(stored, Buffer.from('damaged'));
      await stage.put(CONTENT, ADA);
      expect((await stage.read(stored)).equals(CONTENT)).toBe(true);
    });
  });
