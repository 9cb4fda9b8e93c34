import {
  LiveClientConnected,
  LiveClientLeft,
  type LiveEnd,
  type LiveEvent,
  type LiveHold,
  LiveSessionEnded,
  LiveSessionOpened,
  LiveSessionRenewed,
} from '#events/live/live.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { msBetween, plusMs } from '#platform/kernel/instants.js';
import { reject } from '../live.errors.js';

const MINUTE_MS = 60_000;

export type LiveCommand =
  | { readonly type: 'OpenSession'; readonly data: LiveSessionOpened['data'] }
  | {
      readonly type: 'ConnectClient';
      readonly data: Pick<LiveClientConnected['data'], 'host' | 'connectedAt'>;
    }
  | {
      readonly type: 'LeaveSession';
      readonly data: Pick<LiveClientLeft['data'], 'frames' | 'leftAt'> & { readonly host: string };
    }
  | {
      readonly type: 'RenewSession';
      readonly data: Pick<
        LiveSessionRenewed['data'],
        'lines' | 'heldUntil' | 'frames' | 'renewedAt'
      > & { readonly host: string };
    }
  | {
      readonly type: 'EndSession';
      readonly data: {
        readonly host: string;
        readonly reason: Exclude<LiveEnd, 'lapsed'>;
        readonly frames: number;
        readonly endedAt: string;
      };
    }
  | {
      readonly type: 'LapseSession';
      /** How long after its last minute a session ends that is not renewed. */
      readonly data: { readonly now: string; readonly graceMs: number };
    };

export interface LiveSessionRecord extends Omit<LiveSessionOpened['data'], 'hold'> {
  /** With the lines of all minutes so far. */
  readonly hold: LiveHold;
  readonly frames: number;
  /** Whether a client has connected. */
  readonly isUsed: boolean;
  readonly end: Pick<LiveSessionEnded['data'], 'reason' | 'minutes' | 'endedAt'> | null;
}

/** Null before the first event. */
export type LiveState = LiveSessionRecord | null;

const decide = ({ type, data }: LiveCommand, state: LiveState): LiveEvent[] => {
  switch (type) {
    case 'OpenSession':
      return state ? [] : [LiveSessionOpened.of(data)];
    case 'ConnectClient': {
      const session = openOf(state);
      if (data.connectedAt >= session.expiresAt) return ended('expired');
      return [LiveClientConnected.of({ ...idsOf(session), ...data })];
    }
    case 'LeaveSession':
      if (!isServed(state, data.host)) return [];
      return [LiveClientLeft.of({ ...idsOf(state), frames: data.frames, leftAt: data.leftAt })];
    case 'RenewSession': {
      const session = openOf(state);
      const { host, ...renewed } = data;
      if (session.host !== host) return reject('live_session_ended', 'another process serves it');
      if (session.heldUntil >= renewed.heldUntil) return [];
      return [LiveSessionRenewed.of({ ...idsOf(session), ...renewed })];
    }
    case 'EndSession': {
      const { host, reason, frames, endedAt } = data;
      return isServed(state, host) ? [endOf(state, reason, frames, endedAt)] : [];
    }
    case 'LapseSession': {
      if (state === null || state.end !== null) return [];
      const { heldUntil, frames } = state;
      if (plusMs(heldUntil, data.graceMs) > data.now) return [];
      // Nothing was held after the last minute.
      return [endOf(state, 'lapsed', frames, heldUntil)];
    }
  }
};

/** @throws DomainError `live_session_not_found`, `live_session_ended` */
export const openOf = (state: LiveState): LiveSessionRecord => {
  if (!state) return reject('live_session_not_found', 'session_token: there is no such session');
  return state.end ? ended(state.end.reason) : state;
};

const ended = (reason: LiveEnd): never =>
  reject('live_session_ended', `session_token: the session has ended (${reason})`);

const isServed = (state: LiveState, host: string): state is LiveSessionRecord =>
  state?.end === null && state.host === host;

const idsOf = ({ sessionId, accountId }: LiveSessionRecord) => ({ sessionId, accountId });

/** Each minute that has begun counts, once a client has connected or a frame was drawn. */
const endOf = (
  session: LiveSessionRecord,
  reason: LiveEnd,
  frames: number,
  endedAt: string,
): LiveSessionEnded => {
  const elapsedMs = msBetween(session.openedAt, endedAt);
  const minutes = session.isUsed || frames > 0 ? Math.max(1, Math.ceil(elapsedMs / MINUTE_MS)) : 0;
  return LiveSessionEnded.of({ ...idsOf(session), reason, minutes, frames, endedAt });
};

const evolve = (state: LiveState, { type, data }: LiveEvent): LiveState => {
  if (type === 'LiveSessionOpened') return { ...data, frames: 0, isUsed: false, end: null };
  if (!state) return state;
  switch (type) {
    case 'LiveClientConnected':
      return { ...state, host: data.host, isUsed: true };
    case 'LiveClientLeft':
      return { ...state, frames: data.frames };
    case 'LiveSessionRenewed': {
      const { lines, heldUntil, frames } = data;
      const hold = { ...state.hold, lines: [...state.hold.lines, ...lines] };
      return { ...state, hold, heldUntil, frames };
    }
    case 'LiveSessionEnded': {
      const { reason, minutes, frames, endedAt } = data;
      return { ...state, frames, end: { reason, minutes, endedAt } };
    }
  }
};

export const liveDecider: Decider<LiveCommand, LiveState, LiveEvent> = {
  initialState: null,
  decide,
  evolve,
};
