import { signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf, refreshes } from './answer.js';
import { type Connection, follow, type ServerEvent } from './server-events.js';

export interface LiveState {
  readonly connection: Connection;
  /** Why the gateway does not let the page follow; empty: it does. */
  readonly failure: string;
}

const CONNECTING: LiveState = { connection: 'connecting', failure: '' };

export interface LiveOptions {
  /** The id of the event behind which the stream begins. Null: as the route does without one. */
  readonly after?: string | null;
  readonly isLast?: (event: ServerEvent) => boolean;
}

/** A browser has few connections to one gateway: a page in the background has none. */
const isVisible = signal(!document.hidden);
document.addEventListener('visibilitychange', () => {
  isVisible.value = !document.hidden;
});

/**
 * Follows a route of server-sent events while the page is shown and visible.
 * @param routeOf reads signals only; null: nothing is followed
 */
export const useLive = (
  routeOf: () => string | null,
  onEvent: (event: ServerEvent) => void,
  { after = null, isLast }: LiveOptions = {},
) => {
  const state = useSignal(CONNECTING);
  const followed = useRef<{ route: string | null; last: string | null }>({ route: '', last: null });
  useSignalEffect(() => {
    const route = routeOf();
    state.value = CONNECTING;
    if (followed.current.route !== route) followed.current = { route, last: after };
    if (route === null || !isVisible.value) return undefined;
    const abort = new AbortController();
    follow({
      ...{ route, after: followed.current.last, signal: abort.signal, ...(isLast && { isLast }) },
      onEvent: (event) => {
        followed.current.last = event.id ?? followed.current.last;
        onEvent(event);
      },
      onConnection: (connection) => {
        state.value = { connection, failure: '' };
      },
    }).catch((error: unknown) => {
      if (!abort.signal.aborted) state.value = { connection: 'ended', failure: messageOf(error) };
    });
    return () => abort.abort();
  });
  return state;
};

/** A page whose events come fast is read once in this time. */
const READ_AGAIN_MS = 500;

/**
 * Repeats the reads of the page after an event.
 * @param latest reads the signal of the latest event; null: none yet
 */
export const useRefreshAfter = (latest: () => object | null): void => {
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useSignalEffect(() => {
    if (latest() === null || waiting.current !== undefined) return;
    waiting.current = setTimeout(() => {
      waiting.current = undefined;
      refreshes.value = refreshes.peek() + 1;
    }, READ_AGAIN_MS);
  });
  useEffect(() => () => clearTimeout(waiting.current), []);
};

/** How long the log is, without a further event of the account. */
interface LogHead {
  readonly position: string;
  readonly recorded_at: string | null;
}

/** An event of the ledger of the account. */
export interface AccountEvent extends LogHead {
  readonly type: string;
  readonly event_id: string;
  readonly recorded_at: string;
}

/** The log as the ledger of the signed-in account follows it. */
export interface LedgerState {
  /** The number of events of the log that are looked at. Null: not known yet. */
  readonly head: bigint | null;
  /** When the last of them was recorded. Null: not known. */
  readonly recordedAt: string | null;
  /** The latest event of the account that came while the page was open. */
  readonly latest: AccountEvent | null;
}

export const ledger = signal<LedgerState>({ head: null, recordedAt: null, latest: null });

/** Takes an event of the ledger's stream: an event of the account, or the head of the log. */
export const takeLedgerEvent = ({ id, name, data }: ServerEvent): void => {
  if (id === null) return;
  const event = JSON.parse(data) as LogHead | AccountEvent;
  const latest = name === 'head' ? ledger.value.latest : (event as AccountEvent);
  ledger.value = { head: BigInt(id), recordedAt: event.recorded_at, latest };
};
