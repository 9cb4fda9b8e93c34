import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { SessionRevoked, SessionStarted } from '#events/identity/session.events.js';
import { type Projection } from '#platform/kernel/projection.js';

/** A session that was not revoked. It may have expired or be older than the password. */
export interface ListedSession {
  readonly sessionId: string;
  readonly sealedAppName: string | null;
  readonly sealedDeviceInfo: string | null;
  readonly scopes: readonly Scope[];
  readonly secondFactor: SessionStarted['data']['secondFactor'];
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly expiresAt: string;
}

type SessionsEvent = SessionStarted | SessionRevoked;

export const sessionsOf = (userId: number): string => `${userId}/`;

/** The sessions of a user in order of expiry, so that a reader can skip expired ones. */
export const sessionKey = (userId: number, expiresAt: string, sessionId = ''): string =>
  `${sessionsOf(userId)}${expiresAt}/${sessionId}`;

const missing: ListedSession = {
  sessionId: '',
  sealedAppName: null,
  sealedDeviceInfo: null,
  scopes: [],
  secondFactor: 'none',
  startedAt: '',
  expiresAt: '',
};

/** The sessions of each user. */
export const sessions: Projection<SessionsEvent, ListedSession> = {
  name: 'sessions',
  version: 1,
  on: { SessionStarted, SessionRevoked },
  keys: ({ data }) => [sessionKey(data.userId, data.expiresAt, data.sessionId)],
  initial: () => missing,
  project: ({ type, data }) => {
    if (type === 'SessionRevoked') return null;
    const { keyHash: _key, userId: _user, ...session } = data;
    return session;
  },
};
