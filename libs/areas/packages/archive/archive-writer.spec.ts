import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { gather } from '#platform/blobs/blobs.fixture.js';
import { type Blobs } from '#platform/blobs/blobs.port.js';
import { type Pieces } from '#platform/blobs/pieces.js';
import { NANO_MODEL, VERIFIERS } from '../resident-model.fixture.js';
import { writeArchive } from './archive-writer.js';
import { billOfMaterials } from './bill-of-materials.js';
import { contentOf } from './content.js';

const REBUILDS = 100;
const HARDWARE = 'acme_hopper';

/** Hands the content of a put on. */
const blobsThat = (onPut: (bytes: Buffer) => void): Blobs =>
  ({
    put: async (source: Pieces) => {
      onPut(await gather(source));
      return { address: 'a'.repeat(64), owner: null, bytes: 1 };
    },
  }) as unknown as Blobs;

const written = (
  files: ReturnType<typeof contentOf>,
  onPut: (bytes: Buffer) => void = () => undefined,
) =>
  writeArchive(blobsThat(onPut), files, null, {
    onBytes: () => undefined,
    signal: new AbortController().signal,
  });

describe('the archive of a model', () => {
  it('has the same bytes in 100 of 100 rebuilds', async () => {
    const text = await readFile(import.meta.filename);
    const facts = { bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
    const small = { ...NANO_MODEL, file: import.meta.filename, ...facts };
    const hashes = new Set<string>();
    for (let rebuild = 0; rebuild < REBUILDS; rebuild += 1) {
      hashes.add((await written(contentOf(small, HARDWARE, VERIFIERS))).sha256);
    }
    expect([...hashes]).toHaveLength(1);
  });

  it('is counted, hashed and listed as it is written', async () => {
    let archive: Buffer = Buffer.alloc(0);
    const files = contentOf(NANO_MODEL, null, VERIFIERS);
    const result = await written(files, (bytes) => {
      archive = bytes;
    });
    expect(result.bytes).toBe(archive.length);
    expect(result.sha256).toBe(createHash('sha256').update(archive).digest('hex'));
    expect(result.members.map(({ path }) => path)).toEqual([
      'LICENCE.txt',
      'MODEL_CARD.md',
      'model.gguf',
      'runtime.json',
      'sbom.cdx.json',
      'verify.mjs',
      'verify.sh',
    ]);
  });

  it('differs with the hardware', async () => {
    const [one, other] = await Promise.all(
      [HARDWARE, 'acme_gaudi3'].map((hardware) =>
        written(contentOf(NANO_MODEL, hardware, VERIFIERS)),
      ),
    );
    expect(one?.sha256).not.toBe(other?.sha256);
  });

  it('is not written of weights that have changed', async () => {
    const changed = { ...NANO_MODEL, sha256: 'b'.repeat(64) };
    await expect(written(contentOf(changed, null, VERIFIERS))).rejects.toMatchObject({
      code: 'model_changed',
    });
    const shorter = { ...NANO_MODEL, bytes: NANO_MODEL.bytes - 1 };
    await expect(written(contentOf(shorter, null, VERIFIERS))).rejects.toThrow('model.gguf');
  });

  it('stops at the signal', async () => {
    const files = contentOf(NANO_MODEL, null, VERIFIERS);
    const options = { onBytes: () => undefined, signal: AbortSignal.abort(new Error('stopped')) };
    const writing = writeArchive(
      blobsThat(() => undefined),
      files,
      null,
      options,
    );
    await expect(writing).rejects.toThrow('stopped');
  });
});

describe('the bill of materials', () => {
  it.each(['Apache-2.0', null])('is valid CycloneDX 1.6, licence %s', async (spdxId) => {
    const model = { ...NANO_MODEL, licence: { spdxId, text: '' } };
    const files = [{ name: 'model.gguf', sha256: NANO_MODEL.sha256 }];
    const bill = billOfMaterials(model, files);
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
    expect(await validator.validate(bill)).toBeNull();
    expect(await validator.validate(bill.replace('"file"', '"folder"'))).not.toBeNull();
    expect(billOfMaterials(model, files)).toBe(bill);
  });
});
