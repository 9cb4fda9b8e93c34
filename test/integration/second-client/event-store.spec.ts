import { afterAll, beforeAll } from '@jest/globals';
import { givenServerContract } from '#platform/event-store/eventstoredb/given-server.contract.js';
import { startEventStoreNode } from '../../servers/event-store/event-store.server.js';
import { type TestServer } from '../../servers/test-server.js';

/** The second client package on the same server: one process cannot load both. */
let url = process.env['TEST_ESDB_URL']?.replace(/^esdb/, 'kurrentdb');
let server: TestServer | undefined;

beforeAll(async () => {
  server = url === undefined ? await startEventStoreNode() : undefined;
  url ??= server?.url.replace(/^esdb/, 'kurrentdb');
});

afterAll(() => server?.stop());

givenServerContract(
  'a server given by its address, through @kurrent/kurrentdb-client',
  () => url ?? '',
);
