import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type EventStoreMetrics } from './event-store-metrics.js';

export interface OperationsServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * `/health/live`, `/health/ready` and `/metrics` of a process that serves nothing else by HTTP.
 * @param host where it listens
 * @param port 0 for any that is free
 */
export const serveOperations = async (
  eventStore: EventStore,
  metrics: EventStoreMetrics,
  host: string,
  port: number,
): Promise<OperationsServer> => {
  const server = createServer((request, response) => {
    void answerTo(request.url ?? '', eventStore, metrics).then(({ status, type, body }) =>
      response.writeHead(status, { 'content-type': type }).end(body),
    );
  }).listen(port, host);
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const authority = isIP(host) === 6 ? `[${host}]` : host;
  return { url: `http://${authority}:${taken}`, close: () => close(server) };
};

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = (status: number, report: object): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(report),
});

const answerTo = async (
  url: string,
  eventStore: EventStore,
  metrics: EventStoreMetrics,
): Promise<Answer> => {
  const [path = ''] = url.split('?', 1);
  switch (path) {
    case '/health/live':
      return json(200, { status: 'live' });
    case '/health/ready':
      return readinessOf(eventStore);
    case '/metrics':
      return scrape(eventStore, metrics);
    default:
      return json(404, { status: 'not_found' });
  }
};

/** The head is null where it cannot be read. */
const stateOf = async (eventStore: EventStore) => ({
  health: await eventStore.health(),
  head: await eventStore.head().catch(() => null),
});

const readinessOf = async (eventStore: EventStore): Promise<Answer> => {
  const { health, head } = await stateOf(eventStore);
  const isReady = health.writable && head !== null;
  const status = isReady ? 'ready' : 'not_ready';
  return json(isReady ? 200 : 503, {
    status,
    event_store: health,
    head: head?.toString() ?? null,
  });
};

/** A head that cannot be read stays as it was last read: `quipu_log_writable` tells of trouble. */
const scrape = async (
  eventStore: EventStore,
  { registry, logHead, writable }: EventStoreMetrics,
): Promise<Answer> => {
  const { health, head } = await stateOf(eventStore);
  writable.set(health.writable ? 1 : 0);
  if (head !== null) logHead.set(Number(head));
  return { status: 200, type: registry.contentType, body: await registry.metrics() };
};

const close = async (server: Server): Promise<void> => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
};
