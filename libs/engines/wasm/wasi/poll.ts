import { ERRNO } from './errno.js';
import { type GuestMemory } from './guest-memory.js';

/** Waits for `ms` milliseconds; ends the run when its time is up. */
export type Sleep = (ms: number) => void;

const SUBSCRIPTION_BYTES = 48;
const EVENT_BYTES = 32;
const CLOCK = 0;
const READ = 1;
const ABSOLUTE = 1;
const CLOCKS = 4;
export const SUBSCRIPTIONS_MAX = 1_024;

interface Place {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly countAt: number;
}

interface Host {
  readonly sleep: Sleep;
  /** Bytes that are left on the standard input. */
  readonly readable: number;
  readonly now: (clock: number) => bigint;
}

interface Subscription {
  readonly userdata: bigint;
  readonly kind: number;
  /** Nanoseconds until it is due: 0 for a stream. */
  readonly dueInNs: bigint;
  readonly errno: number;
}

/** `poll_oneoff`: streams are always ready, and clocks are waited for. */
export const pollOneOff = (memory: GuestMemory, place: Place, host: Host): number => {
  const { from, to, count, countAt } = place;
  if (count === 0 || count > SUBSCRIPTIONS_MAX) return ERRNO.invalid;
  memory.bytes(to, count * EVENT_BYTES).fill(0);
  const subscriptions = Array.from({ length: count }, (_, index) =>
    readSubscription(memory.view(), from + index * SUBSCRIPTION_BYTES, host),
  );
  const dueInNs = subscriptions.reduce(
    (least, { dueInNs: due }) => (due < least ? due : least),
    subscriptions[0]?.dueInNs ?? 0n,
  );
  if (dueInNs > 0n) host.sleep(Number(dueInNs) / 1e6);
  const due = subscriptions.filter((subscription) => subscription.dueInNs <= dueInNs);
  for (const [index, { userdata, kind, errno }] of due.entries()) {
    const at = to + index * EVENT_BYTES;
    const view = memory.view();
    view.setBigUint64(at, userdata, true);
    view.setUint16(at + 8, errno, true);
    view.setUint8(at + 10, kind);
    if (kind === READ) view.setBigUint64(at + 16, BigInt(host.readable), true);
  }
  memory.view().setUint32(countAt, due.length, true);
  return ERRNO.success;
};

const readSubscription = (view: DataView, at: number, host: Host): Subscription => {
  const userdata = view.getBigUint64(at, true);
  const kind = view.getUint8(at + 8);
  if (kind !== CLOCK) return { userdata, kind, dueInNs: 0n, errno: ERRNO.success };
  const clock = view.getUint32(at + 16, true);
  if (clock >= CLOCKS) return { userdata, kind, dueInNs: 0n, errno: ERRNO.invalid };
  const timeout = view.getBigUint64(at + 24, true);
  const isAbsolute = (view.getUint16(at + 40, true) & ABSOLUTE) !== 0;
  const left = isAbsolute ? timeout - host.now(clock) : timeout;
  return { userdata, kind, dueInNs: left > 0n ? left : 0n, errno: ERRNO.success };
};
