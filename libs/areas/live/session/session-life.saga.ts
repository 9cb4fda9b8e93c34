import {
  type LiveClientConnected,
  type LiveClientLeft,
  type LiveEvent,
  LiveSessionEnded,
  LiveSessionOpened,
  LiveSessionRenewed,
} from '#events/live/live.events.js';
import { plusMs } from '#platform/kernel/instants.js';
import { type Saga, type SagaAction } from '#platform/kernel/saga.js';

interface OnSession<Type extends string> {
  readonly type: Type;
  readonly data: { readonly sessionId: string };
}

export type SessionLifeCommand = OnSession<'LapseSession'> | OnSession<'ChargeSession'>;

type LifeEvent = Exclude<LiveEvent, LiveClientConnected | LiveClientLeft>;

const LAPSE = 'lapse';
/** A session that no process renews ends this long after its last minute. */
export const LAPSE_MS = 60_000;

const lapseAfter = (sessionId: string, heldUntil: string): SagaAction<SessionLifeCommand> => ({
  kind: 'schedule',
  timer: LAPSE,
  dueAt: plusMs(heldUntil, LAPSE_MS),
  command: { type: 'LapseSession', data: { sessionId } },
});

const react = ({ type, data }: LifeEvent): readonly SagaAction<SessionLifeCommand>[] => {
  const { sessionId } = data;
  switch (type) {
    case 'LiveSessionOpened':
    case 'LiveSessionRenewed':
      return [lapseAfter(sessionId, data.heldUntil)];
    case 'LiveSessionEnded':
      return [
        { kind: 'cancel', timer: LAPSE },
        { kind: 'command', command: { type: 'ChargeSession', data: { sessionId } } },
      ];
  }
};

/** Ends a session whose process is gone, and charges each that has ended. */
export const sessionLifeSaga: Saga<LifeEvent, object, SessionLifeCommand> = {
  name: 'live-session-life',
  on: { LiveSessionOpened, LiveSessionRenewed, LiveSessionEnded },
  key: ({ data }) => data.sessionId,
  initialState: {},
  evolve: (state, { type }) => (type === 'LiveSessionEnded' ? null : state),
  react,
};
