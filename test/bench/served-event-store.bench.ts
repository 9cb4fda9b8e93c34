import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { type BenchOptions } from './bench-options.js';
import { type Figure } from './figure.js';
import { footprintOf } from './load/process-tree.js';
import { keepUntilExit } from './peer-process.js';
import { startEventStoreNode } from './quipu-fleet.peer.js';
import { type ServedOrder, type ServedReply } from './served-event-store.client.js';

/** By the scheme that loads them. */
const CLIENTS = { esdb: '@eventstore/db-client', kurrentdb: '@kurrent/kurrentdb-client' } as const;
type Scheme = keyof typeof CLIENTS;

const REPLAY_EVENTS = 200_000;

type Work = ServedOrder extends infer Order
  ? Order extends ServedOrder
    ? Omit<Order, 'url'>
    : never
  : never;

const WORK: readonly Work[] = [
  { kind: 'append', callers: 64 },
  { kind: 'append', callers: 1024 },
  { kind: 'replay', events: REPLAY_EVENTS },
];

/** In a process of its own, which ends with the order. */
const measureIn = async (order: ServedOrder): Promise<readonly Figure[]> => {
  const client = fork(path.join(import.meta.dirname, 'served-event-store.client.js'));
  keepUntilExit(client);
  client.send(order);
  const [reply] = (await once(client, 'message')) as [ServedReply];
  client.disconnect();
  if ('error' in reply) throw new Error(`client of the served log: ${reply.error}`);
  return reply.figures;
};

const onFreshNode = async (
  directory: string,
  scheme: Scheme,
  work: Work,
): Promise<readonly Figure[]> => {
  const home = await mkdtemp(path.join(directory, 'event-store-'));
  const node = await startEventStoreNode(home, directory);
  try {
    const figures = await measureIn({ url: `${scheme}://${node.address}`, ...work });
    const { rssBytes } = footprintOf(node.process.pid);
    const [first] = figures;
    const memory = { name: `${first?.name ?? ''}: RSS of the node`, value: rssBytes / 1e6 };
    return [...figures, { ...memory, unit: 'MB' }].map((figure) => ({
      ...figure,
      name: `served, ${CLIENTS[scheme]}: ${figure.name}`,
    }));
  } finally {
    await node.process.stop();
  }
};

/** The log through a node and a client's package: appends at two loads, and a replay. */
export const benchServedEventStore = async ({
  directory,
}: BenchOptions): Promise<readonly Figure[]> => {
  const figures: Figure[] = [];
  for (const scheme of ['esdb', 'kurrentdb'] as const)
    for (const work of WORK) figures.push(...(await onFreshNode(directory, scheme, work)));
  return figures;
};
