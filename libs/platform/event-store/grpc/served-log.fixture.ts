import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ServerInterceptor } from '@grpc/grpc-js';
import { type EventStore } from '../event-store.port.js';
import { openSqliteEventStore } from '../sqlite/sqlite-event-store.js';
import { serveEventStore, type ServerTransport } from './event-store.server.js';
import { FaultyEventStore } from './faulty-event-store.fake.js';
import { strictPlaces } from './strict-places.fixture.js';
import { openTcpRelay } from './tcp-relay.fixture.js';

/** An embedded log served over the wire, with everything between it and the client in hand. */
export interface ServedTestLog {
  readonly port: number;
  /** `127.0.0.1:<port>`, for connection strings; the port stays the same over a restart. */
  readonly address: string;
  /** The log behind the server; its faults are set here. */
  readonly faulty: FaultyEventStore;
  /** The log itself, without server and faults. */
  readonly direct: EventStore;
  /** Resets the connections of all clients; the server keeps running. */
  dropConnections(): void;
  /** As SIGKILL looks to clients: connections reset, new ones too. The log's file stays. */
  kill(): Promise<void>;
  /** On the same port and the same log. */
  restart(): Promise<void>;
  dispose(): Promise<void>;
}

/**
 * @param transport default plain text
 * @param isSparse positions have gaps, and no read begins in one, as on a real server
 * @param guards see each call before it is served
 */
export const openServedTestLog = async (
  transport: ServerTransport = { kind: 'insecure' },
  isSparse = false,
  guards: readonly ServerInterceptor[] = [],
): Promise<ServedTestLog> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'quipu-served-log-'));
  const direct = await openSqliteEventStore({ file: path.join(folder, 'events.db') });
  const faulty = new FaultyEventStore(direct, () => relay.drop());
  faulty.isSparse = isSparse;
  const interceptors = [...guards, ...(isSparse ? [strictPlaces(faulty)] : [])];
  const serve = () =>
    serveEventStore({ eventStore: faulty, host: '127.0.0.1', port: 0, transport, interceptors });
  let server = await serve();
  const relay = await openTcpRelay(server.port);
  const stop = async () => {
    relay.down();
    faulty.release();
    faulty.thawReads();
    await server.close();
  };
  let running = true;
  return {
    port: relay.port,
    address: `127.0.0.1:${relay.port}`,
    faulty,
    direct,
    dropConnections: () => relay.drop(),
    kill: async () => {
      running = false;
      await stop();
    },
    restart: async () => {
      server = await serve();
      relay.target = server.port;
      relay.up();
      running = true;
    },
    dispose: async () => {
      if (running) await stop();
      await relay.close();
      await direct.close();
      await rm(folder, { recursive: true });
    },
  };
};
