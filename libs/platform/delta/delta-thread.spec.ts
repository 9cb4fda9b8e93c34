import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { applyDeltaInThread } from './delta-thread.js';
import { DeltaFolder, recordedVectors } from './delta.fixture.js';

const [vector] = recordedVectors();
const delta = vector?.deltas.get('bsdiff') ?? Buffer.of();
const base = vector?.base ?? Buffer.of();

let folder: DeltaFolder;
beforeAll(() => {
  folder = new DeltaFolder();
});
afterAll(() => folder.close());

describe('a delta that is applied in a thread', () => {
  const never = new AbortController().signal;

  it('gives what it gives here', async () => {
    const applied = await applyDeltaInThread(folder.files(base, delta), never);
    expect(applied).toMatchObject({ format: 'bsdiff40', bytes: vector?.result.length });
    expect(folder.result().equals(vector?.result ?? Buffer.of())).toBe(true);
  });

  it('is refused with the same code', async () => {
    const refused = applyDeltaInThread(folder.files(base, Buffer.from('no delta')), never);
    await expect(refused).rejects.toMatchObject({ name: 'DeltaError', code: 'unknown_format' });
  });

  it('fails where a file is missing', async () => {
    const files = { ...folder.files(base, delta), base: `${folder.path}/missing` };
    await expect(applyDeltaInThread(files, never)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('ends when it is stopped', async () => {
    const stop = new AbortController();
    const applying = applyDeltaInThread(folder.files(base, delta), stop.signal);
    stop.abort(new Error('the caller left'));
    await expect(applying).rejects.toThrow('the caller left');
  });
});
