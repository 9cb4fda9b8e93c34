import {
  SessionConfirmed,
  type SessionEvent,
  SessionRevoked,
  SessionStarted,
} from '#events/identity/session.events.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';

export type SessionCommand =
  | { readonly type: 'StartSession'; readonly data: SessionStarted['data'] }
  | { readonly type: 'RevokeSession'; readonly data: Omit<SessionRevoked['data'], 'expiresAt'> }
  | { readonly type: 'ConfirmSession'; readonly data: SessionConfirmed['data'] };

export type SessionState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'revoked';
      readonly userId: UserId;
      readonly sealedAppName: string | null;
      readonly sealedDeviceInfo: string | null;
      readonly scopes: readonly Scope[];
      readonly startedAt: string;
      /** When the user has last proven the identity. */
      readonly confirmedAt: string;
      readonly expiresAt: string;
    };

const decide = ({ type, data }: SessionCommand, state: SessionState): readonly SessionEvent[] => {
  switch (type) {
    case 'StartSession':
      return state.status === 'absent' ? [SessionStarted.of(data)] : [];
    case 'RevokeSession':
      if (state.status === 'absent' || state.userId !== data.userId) {
        return reject('session_not_found', 'there is no such session');
      }
      return state.status === 'active'
        ? [SessionRevoked.of({ ...data, expiresAt: state.expiresAt })]
        : [];
    case 'ConfirmSession':
      if (state.status !== 'active' || state.userId !== data.userId) {
        return reject('session_not_found', 'there is no such session');
      }
      return [SessionConfirmed.of(data)];
  }
};

const evolve = (state: SessionState, { type, data }: SessionEvent): SessionState => {
  switch (type) {
    case 'SessionStarted': {
      const { sessionId: _session, keyHash: _key, secondFactor: _factor, ...session } = data;
      return { status: 'active', confirmedAt: session.startedAt, ...session };
    }
    case 'SessionRevoked':
      return state.status === 'absent' ? state : { ...state, status: 'revoked' };
    case 'SessionConfirmed':
      return state.status === 'absent' ? state : { ...state, confirmedAt: data.confirmedAt };
  }
};

export const sessionDecider: Decider<SessionCommand, SessionState, SessionEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
