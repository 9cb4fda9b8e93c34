import { EventStoreDBClient } from '@eventstore/db-client';
import { expect, it } from '@jest/globals';
import { counted } from '../event-store.fixture.js';
import { collect, numbersIn, type StreamsClient } from './clients.fixture.js';
import { credentialsContract } from './credentials.contract.js';
import { faultsContract } from './faults.contract.js';
import { officialClientContract } from './official-client.contract.js';
import { openServedTestLog } from './served-log.fixture.js';

const connect = (connection: string): StreamsClient =>
  EventStoreDBClient.connectionString(`esdb://${connection}`) as unknown as StreamsClient;

officialClientContract('@eventstore/db-client', connect);
faultsContract('@eventstore/db-client', connect);
credentialsContract('@eventstore/db-client', connect);

// The other client changes the direction of these by itself.
it('reads away from both ends', async () => {
  const log = await openServedTestLog();
  const client = connect(`${log.address}?tls=false`);
  await log.direct.append('job-1', counted(3), 'no-stream');
  expect(await collect(client.readStream('job-1', { fromRevision: 'end' }))).toEqual([]);
  expect(await collect(client.readAll({ fromPosition: 'end' }))).toEqual([]);
  const direction = 'backwards';
  const first = client.readStream('job-1', { direction, fromRevision: 'start' });
  expect(numbersIn(await collect(first))).toEqual([0]);
  expect(await collect(client.readAll({ direction, fromPosition: 'start' }))).toEqual([]);
  await client.dispose();
  await log.dispose();
});
