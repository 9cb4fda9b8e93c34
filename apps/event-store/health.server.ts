import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { type EventStore } from '#platform/event-store/event-store.port.js';

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/** `/health/live` and `/health/ready` of a process that serves nothing else by HTTP. */
export const serveHealth = async (
  eventStore: EventStore,
  host: string,
  port: number,
): Promise<HealthServer> => {
  const server = createServer((request, response) => {
    void answer(request.url ?? '', eventStore, response);
  }).listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const authority = isIP(host) === 6 ? `[${host}]` : host;
  return { url: `http://${authority}:${taken}`, close: () => close(server) };
};

const answer = async (
  url: string,
  eventStore: EventStore,
  response: ServerResponse,
): Promise<void> => {
  const [status, report] = await reportFor(url, eventStore);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(report));
};

const reportFor = async (
  url: string,
  eventStore: EventStore,
): Promise<readonly [status: number, report: object]> => {
  const [path] = url.split('?', 1);
  if (path === '/health/live') return [200, { status: 'live' }];
  if (path !== '/health/ready') return [404, { status: 'not_found' }];
  const health = await eventStore.health();
  const head = await eventStore.head().catch(() => null);
  const isReady = health.writable && head !== null;
  const status = isReady ? 'ready' : 'not_ready';
  return [isReady ? 200 : 503, { status, event_store: health, head: head?.toString() ?? null }];
};

const close = async (server: Server): Promise<void> => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
};
