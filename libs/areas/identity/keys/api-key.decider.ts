import {
  type ApiKeyEvent,
  ApiKeyIssued,
  ApiKeyRestricted,
  ApiKeyRevoked,
} from '#events/identity/api-key.events.js';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy } from '#events/identity/key-policy.vocabulary.js';
import { type Membership } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';
import { demandNoLater, demandWithin, isSamePolicy } from './key-policy.js';

export type ApiKeyCommand =
  | { readonly type: 'IssueApiKey'; readonly data: ApiKeyIssued['data'] }
  | {
      readonly type: 'RevokeApiKey';
      readonly data: Omit<ApiKeyRevoked['data'], 'expiresAt' | 'membership'>;
    }
  | {
      readonly type: 'RestrictApiKey';
      readonly data: Omit<ApiKeyRestricted['data'], 'expiresAt' | 'membership'>;
    };

export type ApiKeyState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'revoked';
      readonly keyKind: KeyKind;
      readonly userId: UserId;
      readonly sealedName: string;
      readonly policy: KeyPolicy;
      readonly sessionId: string | null;
      readonly issuedAt: string;
      /** As issued. */
      readonly expiresAt: string | null;
      readonly endsAt: string | null;
      /** Another key replaces it, and it stays valid until it ends. */
      readonly isRotated: boolean;
      readonly replaces: string | null;
      readonly lineage?: string;
      readonly cacheSeconds?: number;
      readonly membership?: Membership;
    };

const decide = ({ type, data }: ApiKeyCommand, state: ApiKeyState): readonly ApiKeyEvent[] => {
  switch (type) {
    case 'IssueApiKey':
      return state.status === 'absent'
        ? [ApiKeyIssued.of(data)]
        : reject('api_key_exists', 'the key was issued before');
    case 'RevokeApiKey': {
      const key = keyOf(state, data);
      const { isRotated, status } = key;
      // Revoking twice changes nothing, but only one of two rotations may issue a successor.
      if (data.reason === 'rotated' && (isRotated || status === 'revoked')) return notFound();
      return status === 'active' ? [ApiKeyRevoked.of({ ...data, ...ofDocument(key) })] : [];
    }
    case 'RestrictApiKey':
      return restrict(data, keyOf(state, data));
  }
};

type IssuedKeyState = Exclude<ApiKeyState, { readonly status: 'absent' }>;

const ofDocument = ({ expiresAt, membership }: IssuedKeyState) => ({
  expiresAt,
  ...(membership && { membership }),
});

const notFound = (): never => reject('api_key_not_found', 'there is no such key');

const keyOf = (state: ApiKeyState, { userId }: { readonly userId: UserId }): IssuedKeyState =>
  state.status === 'absent' || state.userId !== userId ? notFound() : state;

const restrict = (
  data: (ApiKeyCommand & { readonly type: 'RestrictApiKey' })['data'],
  key: IssuedKeyState,
): readonly ApiKeyEvent[] => {
  const { status, policy, endsAt, isRotated } = key;
  if (status === 'revoked' || (isRotated && data.reason === 'rotated')) return notFound();
  demandWithin(data.policy, policy);
  demandNoLater(data.endsAt, endsAt);
  const isSame = data.endsAt === endsAt && isSamePolicy(data.policy, policy);
  if (isSame && data.reason === 'restricted') return [];
  return [ApiKeyRestricted.of({ ...data, ...ofDocument(key) })];
};

const evolve = (state: ApiKeyState, { type, data }: ApiKeyEvent): ApiKeyState => {
  switch (type) {
    case 'ApiKeyIssued': {
      const { keyHash, ...key } = data;
      return { status: 'active', ...key, endsAt: key.expiresAt, isRotated: false };
    }
    case 'ApiKeyRevoked':
      return state.status === 'absent' ? state : { ...state, status: 'revoked' };
    case 'ApiKeyRestricted': {
      if (state.status === 'absent') return state;
      const { policy, endsAt, reason } = data;
      const isRotated = state.isRotated || reason === 'rotated';
      return { ...state, policy, endsAt, isRotated };
    }
  }
};

export const apiKeyDecider: Decider<ApiKeyCommand, ApiKeyState, ApiKeyEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
