import { afterAll, beforeAll } from '@jest/globals';
import { givenServerContract } from '#platform/event-store/eventstoredb/given-server.contract.js';
import { startEventStoreNode } from '../servers/event-store/event-store.server.js';
import { type TestServer } from '../servers/test-server.js';

/** The server of `TEST_ESDB_URL`, or an embedded node in a separate process. */
let url = process.env['TEST_ESDB_URL'];
let server: TestServer | undefined;

beforeAll(async () => {
  server = url === undefined ? await startEventStoreNode() : undefined;
  url ??= server?.url;
});

afterAll(() => server?.stop());

givenServerContract('a server given by its address', () => url ?? '');
