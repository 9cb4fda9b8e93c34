import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { counted, metadata, readLog } from '../event-store.fixture.js';
import { openEventStoreDb } from './eventstoredb-event-store.js';
import { Laboratory } from './laboratory.fixture.js';

describe('one client in a process', () => {
  const laboratory = new Laboratory();

  it('is not affected by the failures of another client of the same package', async () => {
    const [ours, theirs] = [await laboratory.openLog(), await laboratory.openLog()];
    const store = await laboratory.openStore(`esdb://${ours.address}?tls=false`);
    const other = EventStoreDBClient.connectionString(`esdb://${theirs.address}?tls=false`);
    ours.faulty.failNext({ kind: 'held' });
    theirs.faulty.failNext({ kind: 'held' });
    const append = store.append('job-1', counted(1), 'no-stream');
    const event = jsonEvent({ type: 'Counted', data: {}, metadata });
    const foreign = other.appendToStream('job-1', event);
    await eventually(() => Promise.resolve(ours.faulty.appends + theirs.faulty.appends === 2));
    theirs.dropConnections();
    await expect(foreign).rejects.toThrow();
    ours.faulty.release();
    expect((await append).revision).toBe(0n);
    expect(ours.faulty.appends).toBe(1);
    await other.dispose();
  });

  it('is shared by stores with one address, and rejected a second one', async () => {
    const [first, second] = [await laboratory.openLog(), await laboratory.openLog()];
    const url = `esdb://${first.address}?tls=false`;
    const [one, another] = [await laboratory.openStore(url), await laboratory.openStore(url)];
    await expect(laboratory.openStore(`esdb://${second.address}?tls=false`)).rejects.toThrow(
      '@eventstore/db-client serves one address in a process',
    );
    await one.close();
    await another.append('job-1', counted(1), 'no-stream');
    await another.close();
    const next = await laboratory.openStore(`esdb://${second.address}?tls=false`);
    expect(await readLog(next)).toEqual([]);
  });

  it.each([
    ['mongodb://127.0.0.1:1', 'no address of an EventStoreDB'],
    ['esdb://user:secret@127.0.0.1:port', 'port number'],
    ['esdb://127.0.0.1:1?tls=false&throwOnAppendFailure=false', 'throwOnAppendFailure=false'],
  ])('rejects %s without showing its password', async (url, message) => {
    const attempt = openEventStoreDb({ url });
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.not.toThrow('secret');
  });
});
