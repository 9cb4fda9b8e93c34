import { describe, expect, it } from '@jest/globals';
import { type StoredBytes } from '#projections/files/stored-bytes.projection.js';
import { FILES_MAX, FileStorage } from './file-storage.js';
import { type StoredFile } from './file-store.js';
import { UploadFileHandler, UploadFileCommand, type UploadPart } from './upload-file.handler.js';

const BYTES_MAX = 1_000;
const TODAY = '2026-03-02';

const storageWith = (document: StoredBytes | undefined, further = 0): FileStorage =>
  new FileStorage(
    { get: () => Promise.resolve({ document, position: 1n }) } as never,
    { accountBytesMax: BYTES_MAX } as never,
    { now: () => Date.parse(`${TODAY}T12:00:00.000Z`) },
    { bytesOf: () => further },
  );

const stored = (files: number, bytes: number, day: string, bytesOfDay: number): StoredBytes => ({
  files,
  bytes,
  day,
  bytesOfDay,
});

describe('the storage of an account', () => {
  it.each([
    [undefined, BYTES_MAX],
    [stored(2, 400, '2026-03-01', 900), 600],
    // Deleted files of today are kept for a day.
    [stored(1, 100, TODAY, 900), 100],
    [stored(FILES_MAX - 1, 0, TODAY, 0), BYTES_MAX],
  ])('has room: %j', async (document, left) => {
    expect(await storageWith(document).left('7')).toBe(left);
  });

  it.each([
    stored(1, BYTES_MAX, '2026-03-01', 10),
    stored(0, 0, TODAY, BYTES_MAX),
    stored(FILES_MAX, 0, '2026-03-01', 0),
  ])('is full: %j', async (document) => {
    await expect(storageWith(document).left('7')).rejects.toMatchObject({
      code: 'file_storage_full',
    });
  });

  it('counts what others keep for the account, such as its models', async () => {
    expect(await storageWith(undefined, 300).left('7')).toBe(700);
    expect(await storageWith(stored(2, 400, '2026-03-01', 0), 300).left('7')).toBe(300);
    const full = storageWith(stored(2, 700, '2026-03-01', 0), 300).left('7');
    await expect(full).rejects.toMatchObject({ code: 'file_storage_full' });
  });

  const uploadWith = (document: StoredBytes) => {
    const asked: unknown[] = [];
    const files = {
      stage: (_content: unknown, _userId: unknown, _purpose: unknown, bytesLeft: number) => {
        asked.push(bytesLeft);
        return Promise.resolve({ blob: { bytes: 1 } });
      },
      create: () => Promise.resolve({} as StoredFile),
    };
    const handler = new UploadFileHandler(files as never, storageWith(document));
    const parts = async function* (): AsyncGenerator<UploadPart> {
      yield await Promise.resolve({ kind: 'field', name: 'purpose', value: 'batch' });
      asked.push('the file');
      yield { kind: 'file', name: 'file', filename: 'a', content: parts() as never };
    };
    const owner = { accountId: '7', userId: 7 as never };
    return { asked, done: handler.execute(new UploadFileCommand(owner, parts(), {} as never)) };
  };

  it('bounds the content of an upload, and is asked before the content is read', async () => {
    const fits = uploadWith(stored(2, 400, '2026-03-01', 900));
    await fits.done;
    expect(fits.asked).toEqual(['the file', 600]);
    const full = uploadWith(stored(1, BYTES_MAX, TODAY, 0));
    await expect(full.done).rejects.toMatchObject({ code: 'file_storage_full' });
    expect(full.asked).toEqual([]);
  });
});
