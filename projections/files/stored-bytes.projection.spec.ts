import { describe, expect, it } from '@jest/globals';
import { type FileEvent } from '#events/files/file.events.js';
import { created, deleted } from '#areas/files/file.fixture.js';
import { type StoredBytes, storedBytes } from './stored-bytes.projection.js';

const foldOf = (...events: readonly FileEvent[]): StoredBytes =>
  events.reduce<StoredBytes>(
    (document, event) => storedBytes.project(event, document, '7') ?? document,
    storedBytes.initial('7'),
  );

const createdAt = (at: string): FileEvent => ({
  ...created,
  data: { ...created.data, createdAt: at },
});

describe('the stored bytes of an account', () => {
  it('are those of its files', () => {
    expect(storedBytes.keys(created)).toEqual(['7']);
    expect(foldOf(created, created)).toMatchObject({ files: 2, bytes: 40 });
    expect(foldOf(created, created, deleted)).toMatchObject({ files: 1, bytes: 20 });
  });

  it('of a day include deleted files, and begin again with the next day', () => {
    const day = '2026-03-01';
    expect(foldOf(created, deleted, created)).toMatchObject({ bytes: 20, day, bytesOfDay: 40 });
    const next = createdAt('2026-03-02T00:00:00.000Z');
    expect(foldOf(created, next)).toMatchObject({ bytes: 40, day: '2026-03-02', bytesOfDay: 20 });
  });
});
