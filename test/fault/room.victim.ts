/**
 * A whole Quipu that kills itself at a point of its log, on request. Its clock may be ahead.
 *
 * Node runs this file without a build, on the built Quipu, so it is erasable TypeScript.
 */
import 'reflect-metadata';
import { pino } from 'pino';
import { readSettings } from '#apps/composition/settings.js';
import { startStandalone } from '#apps/processes/standalone.process.js';
import { type Deposit, RoomRows } from '#areas/cleanrooms/room-rows.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { EVENT_STORE } from '#platform/runtime/tokens.js';

/** A point of the log: just before or after an event of a type is in it. */
export interface Point {
  readonly when: 'before' | 'after';
  readonly type: string;
}

export type VictimOrder = { readonly deposit: Deposit } | { readonly kill: Point };

const [, , aheadMs = '0'] = process.argv;
const now = Date.now.bind(Date);
Date.now = () => now() + Number(aheadMs);

const quipu = await startStandalone(readSettings(process.env), pino({ level: 'silent' }));
const rows = quipu.app.get(RoomRows, { strict: false });
const store: EventStore = quipu.app.get(EVENT_STORE, { strict: false });
let point: Point | null = null;

const append = store.append.bind(store);
store.append = async (stream, events, expected) => {
  const isThere = (when: Point['when']): boolean =>
    point?.when === when && events.some(({ type }) => type === point?.type);
  if (isThere('before')) process.kill(process.pid, 'SIGKILL');
  const appended = await append(stream, events, expected);
  if (isThere('after')) process.kill(process.pid, 'SIGKILL');
  return appended;
};

process.on('message', (order: VictimOrder) => {
  if ('kill' in order) {
    point = order.kill;
    process.send?.('armed');
    return;
  }
  const { deposit } = order;
  const context = contextOf(deposit.contributionId, `user:${deposit.accountId}`);
  void rows.deposit(deposit, context).then(() => process.send?.('deposited'));
});
process.send?.(quipu.url);
