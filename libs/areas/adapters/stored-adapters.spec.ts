import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { adapterEvents } from '#events/adapters/adapter.events.js';
import { MemoryBlobs } from '#platform/blobs/memory-blobs.fake.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { openSqliteEventStore } from '#platform/event-store/sqlite/sqlite-event-store.js';
import { EventCodec } from '#platform/runtime/commands/event-codec.js';
import { anyContext } from '#platform/runtime/stock.fixture.js';
import { uploaded } from './adapter.fixture.js';
import { StoredAdapters } from './stored-adapters.js';

describe('an upload that is rejected', () => {
  let home: string;
  let eventStore: EventStore;
  let blobs: MemoryBlobs;
  let adapters: StoredAdapters;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-stored-adapters-'));
    eventStore = await openSqliteEventStore({ file: path.join(home, 'events.db') });
    blobs = new MemoryBlobs();
    adapters = new StoredAdapters(blobs, eventStore, new EventCodec(adapterEvents));
    await upload('house-style', 'the first weights', 2);
  });

  afterEach(async () => {
    await eventStore.close();
    await rm(home, { recursive: true });
  });

  const upload = (slug: string, weights: string, adaptersMax: number) =>
    adapters.upload({ ...uploaded.data, slug }, Buffer.from(weights), adaptersMax, anyContext());

  it.each([
    ['adapter_slug_taken', 'house-style', 2],
    ['adapter_limit_reached', 'other-style', 1],
  ])('keeps no content: %s', async (code, slug, adaptersMax) => {
    const before = blobs.addresses;
    await expect(upload(slug, 'the second weights', adaptersMax)).rejects.toMatchObject({ code });
    expect(blobs.addresses).toEqual(before);
  });
});
