import { type ApiKeyEvent, ApiKeyIssued, ApiKeyRevoked } from '#events/identity/api-key.events.js';
import { type KeyKind } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';

export type ApiKeyCommand =
  | { readonly type: 'IssueApiKey'; readonly data: ApiKeyIssued['data'] }
  | {
      readonly type: 'RevokeApiKey';
      readonly data: Omit<ApiKeyRevoked['data'], 'expiresAt'>;
    };

export type ApiKeyState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'revoked';
      readonly keyKind: KeyKind;
      readonly userId: UserId;
      readonly sealedName: string;
      readonly sessionId: string | null;
      readonly issuedAt: string;
      readonly expiresAt: string | null;
      readonly replaces: string | null;
      readonly lineage?: string;
      readonly cacheSeconds?: number;
    };

const decide = ({ type, data }: ApiKeyCommand, state: ApiKeyState): readonly ApiKeyEvent[] => {
  switch (type) {
    case 'IssueApiKey':
      return state.status === 'absent'
        ? [ApiKeyIssued.of(data)]
        : reject('api_key_exists', 'the key was issued before');
    case 'RevokeApiKey': {
      if (state.status === 'absent' || state.userId !== data.userId) {
        return reject('api_key_not_found', 'there is no such key');
      }
      const { expiresAt } = state;
      if (state.status === 'active') return [ApiKeyRevoked.of({ ...data, expiresAt })];
      // Revoking twice changes nothing, but only one of two rotations may issue a successor.
      return data.reason === 'rotated' ? reject('api_key_not_found', 'there is no such key') : [];
    }
  }
};

const evolve = (state: ApiKeyState, { type, data }: ApiKeyEvent): ApiKeyState => {
  switch (type) {
    case 'ApiKeyIssued': {
      const { keyHash, ...key } = data;
      return { status: 'active', ...key };
    }
    case 'ApiKeyRevoked':
      return state.status === 'absent' ? state : { ...state, status: 'revoked' };
  }
};

export const apiKeyDecider: Decider<ApiKeyCommand, ApiKeyState, ApiKeyEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
