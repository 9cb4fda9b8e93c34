import { KurrentDBClient } from '@kurrent/kurrentdb-client';
import { expect, it } from '@jest/globals';
import { counted } from '../event-store.fixture.js';
import { collect, numbersIn, type StreamsClient } from './clients.fixture.js';
import { credentialsContract } from './credentials.contract.js';
import { faultsContract } from './faults.contract.js';
import { officialClientContract } from './official-client.contract.js';
import { openServedTestLog } from './served-log.fixture.js';

const connect = (connection: string): StreamsClient =>
  KurrentDBClient.connectionString(`kurrentdb://${connection}`) as unknown as StreamsClient;

officialClientContract('@kurrent/kurrentdb-client', connect);
faultsContract('@kurrent/kurrentdb-client', connect);
credentialsContract('@kurrent/kurrentdb-client', connect);

// The other client sends no filter with a reading.
it('reads what a filter lets through', async () => {
  const log = await openServedTestLog();
  const client = connect(`${log.address}?tls=false`);
  await log.direct.append('job-1', counted(3), 'any');
  await log.direct.append('rig-1', counted(2, 3), 'any');
  const read = async (filter: object, options: object = {}) =>
    numbersIn(await collect(client.readAll({ filter, ...options })));
  const prefixes = { filterOn: 'streamName', prefixes: ['rig-'] };
  const regex = { filterOn: 'streamName', regex: '^rig' };
  const backwards = { direction: 'backwards', fromPosition: 'end' };
  expect(await read(prefixes)).toEqual([3, 4]);
  expect(await read(prefixes, { maxCount: 1 })).toEqual([3]);
  expect(await read(regex, { maxCount: 1 })).toEqual([3]);
  expect(await read(prefixes, backwards)).toEqual([4, 3]);
  expect(await read(regex, { ...backwards, maxCount: 1 })).toEqual([4]);
  await client.dispose();
  await log.dispose();
});
