import { describe, expect, it } from '@jest/globals';
import { CutStreamError } from '../event-store.errors.js';
import { EventStoreDbLogReader } from './eventstoredb-log-reader.js';
import { connectionOf, recordAt, ScriptedClient } from './scripted-client.fake.js';

describe('a page of a stream', () => {
  const open = () => {
    const client = new ScriptedClient();
    const reader = new EventStoreDbLogReader(connectionOf(client), { pageMs: 100, outageMs: 100 });
    return { client, reader };
  };

  const metadataOf = (stream: string, data: object) =>
    recordAt(1n, { streamId: `$$${stream}`, type: '$metadata', data });

  it('is empty for a stream that never was, also where one has metadata', async () => {
    const { client, reader } = open();
    client.log.push(metadataOf('job-1', { $acl: { $r: 'ops' } }));
    for (const stream of ['job-1', 'job-2']) {
      expect(await reader.stream(stream, 'forwards', null, 10)).toEqual({ events: [], next: null });
    }
  });

  it('is a fault for a deleted stream, which a server shows by its metadata only', async () => {
    const { client, reader } = open();
    client.log.push(metadataOf('job-1', { $tb: 9_007_199_254_740_991 }));
    for (const [direction, from] of [
      ['forwards', null],
      ['forwards', 0n],
      ['backwards', null],
    ] as const) {
      await expect(reader.stream('job-1', direction, from, 10)).rejects.toThrow(CutStreamError);
    }
    // Readers ask for the events after the last known one all the time.
    expect((await reader.stream('job-1', 'forwards', 5n, 10)).events).toEqual([]);
  });

  it('is a fault at once for a stream that was deleted for ever', async () => {
    const { client, reader } = open();
    let reads = 0;
    client.readStream = (stream) => {
      reads += 1;
      return Promise.reject(new CutStreamError(stream, 0n, null));
    };
    await expect(reader.stream('job-1', 'forwards', null, 10)).rejects.toThrow(CutStreamError);
    expect(reads).toBe(1);
  });
});
