import { describe, expect, it } from '@jest/globals';
import { SubjectErasedError } from '#platform/secrets/subject-keys.js';
import {
  ADA,
  BOB,
  type BlobsStage,
  bytesOf,
  failed,
  gather,
  OWNERS,
  sha256,
  sourceOf,
} from './blobs.fixture.js';
import { BLOB_BYTES_MAX } from './blobs.port.js';
import { CHUNK_BYTES } from './chunk.seal.js';

const SIZES = [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 7];
const THREE_CHUNKS = bytesOf(2 * CHUNK_BYTES + 100);

/** The content that is put equals the content that is read. */
export const contentContract = (stage: BlobsStage) => {
  describe('content', () => {
    it.each(SIZES.flatMap((size) => OWNERS.map((owner) => ({ size, owner }))))(
      'comes back to the byte: $size bytes of $owner',
      async ({ size, owner }) => {
        const bytes = bytesOf(size);
        const stored = await stage.put(bytes, owner);
        expect(stored).toMatchObject({ bytes: size, owner });
        const other = await stage.open();
        const opened = await other.open(stored);
        expect(opened.bytes).toBe(size);
        expect((await gather(opened.content)).equals(bytes)).toBe(true);
      },
    );

    it('may come in pieces of any size', async () => {
      for (const size of [1_000, CHUNK_BYTES, 200_000]) {
        const { address } = await stage.blobs.put(sourceOf(THREE_CHUNKS, size), { owner: null });
        expect(address).toBe(sha256(THREE_CHUNKS));
      }
    });

    it('may come in pieces that share their memory', async () => {
      async function* reusing(): AsyncGenerator<Uint8Array> {
        const piece = Buffer.alloc(40_000);
        for (let at = 0; at < THREE_CHUNKS.length; at += piece.length) {
          const length = THREE_CHUNKS.copy(piece, 0, at);
          yield await Promise.resolve(piece.subarray(0, length));
        }
      }
      const stored = await stage.blobs.put(reusing(), { owner: ADA });
      expect((await stage.read(stored)).equals(THREE_CHUNKS)).toBe(true);
    });

    it.each([
      [0, 1],
      [0, CHUNK_BYTES],
      [1, CHUNK_BYTES + 1],
      [CHUNK_BYTES, 2 * CHUNK_BYTES],
      [CHUNK_BYTES - 1, CHUNK_BYTES + 1],
      [100, THREE_CHUNKS.length],
      [2 * CHUNK_BYTES, THREE_CHUNKS.length + 1_000],
      [THREE_CHUNKS.length - 1, undefined],
      [THREE_CHUNKS.length, undefined],
      [7, 7],
    ])('is read from %d to %p', async (start, end) => {
      const stored = await stage.put(THREE_CHUNKS, ADA);
      const range = end === undefined ? { start } : { start, end };
      const read = await stage.read(stored, range);
      expect(read.equals(THREE_CHUNKS.subarray(start, end))).toBe(true);
    });

    it.each([
      { start: -1 },
      { start: 0.5 },
      { start: 2, end: 1 },
      { start: 0, end: NaN },
      { start: THREE_CHUNKS.length + 1 },
    ])('has no range $start to $end', async (range) => {
      const stored = await stage.put(THREE_CHUNKS);
      await expect(stage.blobs.open(stored, range)).rejects.toEqual(failed('invalid-range'));
    });

    it('is not there before it was put whole', async () => {
      let seen: unknown = 'not asked';
      async function* looking(): AsyncGenerator<Uint8Array> {
        yield THREE_CHUNKS;
        seen = await stage.blobs
          .open({ address: sha256(THREE_CHUNKS), owner: null })
          .catch((error: unknown) => error);
      }
      const stored = await stage.blobs.put(looking(), { owner: null });
      expect(seen).toEqual(failed('blob-not-found'));
      expect(await stage.read(stored)).toHaveLength(THREE_CHUNKS.length);
    });

    it('leaves nothing when its source fails', async () => {
      const cut = new Error('the caller is gone');
      async function* failing(): AsyncGenerator<Uint8Array> {
        yield await Promise.resolve(THREE_CHUNKS);
        throw cut;
      }
      await expect(stage.blobs.put(failing(), { owner: null })).rejects.toBe(cut);
      expect(await stage.names('staging/')).toEqual([]);
      const ref = { address: sha256(THREE_CHUNKS), owner: null };
      await expect(stage.blobs.open(ref)).rejects.toEqual(failed('blob-not-found'));
    });

    it('has at most the bytes that the caller accepts', async () => {
      const bytesMax = THREE_CHUNKS.length;
      const put = (bytes: Buffer) => stage.blobs.put(sourceOf(bytes), { owner: null, bytesMax });
      expect(await put(THREE_CHUNKS)).toMatchObject({ bytes: bytesMax });
      await expect(put(bytesOf(bytesMax + 1))).rejects.toEqual(failed('blob-too-large'));
      expect(await stage.names('staging/')).toEqual([]);
      expect(BLOB_BYTES_MAX).toBe(4_294_967_296);
    });

    it('may be put and read many times at once', async () => {
      const blobs = await Promise.all(
        Array.from({ length: 20 }, (_, n) => stage.put(bytesOf(100_000, n % 5), ADA)),
      );
      expect(new Set(blobs.map(({ address }) => address)).size).toBe(5);
      for (const [n, blob] of blobs.entries()) {
        expect((await stage.read(blob)).equals(bytesOf(100_000, n % 5))).toBe(true);
      }
    });

    it('is read to its end while equal content is put again', async () => {
      const before = await stage.blobs.open(await stage.put(THREE_CHUNKS, ADA));
      const part = await stage.blobs.open(await stage.put(THREE_CHUNKS, ADA), { start: 5 });
      await stage.put(THREE_CHUNKS, ADA);
      expect((await gather(before.content)).equals(THREE_CHUNKS)).toBe(true);
      expect((await gather(part.content)).equals(THREE_CHUNKS.subarray(5))).toBe(true);
      const during = await stage.blobs.open(await stage.put(THREE_CHUNKS, ADA));
      let length = 0;
      for await (const piece of during.content) {
        if (length === 0) await stage.put(THREE_CHUNKS, ADA);
        length += piece.length;
      }
      expect(length).toBe(THREE_CHUNKS.length);
    });
  });

  describe('an address', () => {
    it('is the SHA-256 of content without an owner', async () => {
      const { address } = await stage.put(Buffer.from('abc'));
      expect(address).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    });

    it('is the same for equal content of one owner, and shared with no other', async () => {
      const bytes = Buffer.from('abc');
      const [ada, again] = [await stage.put(bytes, ADA), await stage.put(bytes, ADA)];
      const bob = await stage.put(bytes, BOB);
      expect(again).toEqual(ada);
      expect(new Set([ada.address, bob.address, sha256(bytes)]).size).toBe(3);
    });

    it.each(['', 'abc', 'A'.repeat(64), '../'.repeat(22), `${'a'.repeat(64)}\n`])(
      'is rejected: %j',
      async (address) => {
        const invalid = failed('invalid-address');
        const ref = { address, owner: null };
        await expect(stage.blobs.open(ref)).rejects.toEqual(invalid);
        await expect(stage.blobs.retain(ref, 'file:1')).rejects.toEqual(invalid);
        await expect(stage.blobs.release(ref, 'file:1')).rejects.toEqual(invalid);
      },
    );

    it('that was never put is not found', async () => {
      const ref = { address: 'a'.repeat(64), owner: null };
      await expect(stage.blobs.open(ref)).rejects.toEqual(failed('blob-not-found'));
    });
  });

  describe('an owner', () => {
    it('who was erased has no blobs any more, and puts none', async () => {
      const ada = await stage.put(THREE_CHUNKS, ADA);
      const [bob, free] = [await stage.put(THREE_CHUNKS, BOB), await stage.put(THREE_CHUNKS)];
      await stage.erase(ADA);
      const other = await stage.open();
      await expect(other.open(ada)).rejects.toEqual(failed('blob-erased'));
      await expect(stage.put(THREE_CHUNKS, ADA)).rejects.toThrow(SubjectErasedError);
      expect(await stage.names('staging/')).toEqual([]);
      expect((await stage.read(bob)).equals(THREE_CHUNKS)).toBe(true);
      expect((await stage.read(free)).equals(THREE_CHUNKS)).toBe(true);
    });

    it('opens no blob of another', async () => {
      const { address } = await stage.put(THREE_CHUNKS, ADA);
      await stage.put(Buffer.from('bob'), BOB);
      for (const owner of [BOB, null]) {
        await expect(stage.blobs.open({ address, owner })).rejects.toEqual(failed('blob-damaged'));
      }
    });

    it('shows in no object, nor does the content or its hash', async () => {
      const text = Buffer.from('a private sentence '.repeat(50));
      const stored = await stage.put(text, ADA);
      await stage.blobs.retain(stored, 'file:1');
      const object = await stage.objectOf(stored);
      for (const word of ['private', ADA, sha256(text)]) {
        expect(object.includes(word)).toBe(false);
      }
      const shard = stored.address.slice(0, 2);
      expect(await stage.names(`blobs/${shard}/`)).toEqual([`blobs/${shard}/${stored.address}`]);
    });
  });
};
