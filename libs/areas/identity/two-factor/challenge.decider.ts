import {
  ChallengeAnswered,
  type ChallengeEvent,
  ChallengeFailed,
  ChallengeIssued,
} from '#events/identity/challenge.events.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';

/** Wrong codes per challenge, from all addresses together. */
export const CHALLENGE_ATTEMPTS_MAX = 5;

export type ChallengeCommand =
  | { readonly type: 'IssueChallenge'; readonly data: ChallengeIssued['data'] }
  | {
      readonly type: 'FailChallenge';
      readonly data: Omit<ChallengeFailed['data'], 'userId' | 'attemptsLeft'>;
    }
  | { readonly type: 'AnswerChallenge'; readonly data: Omit<ChallengeAnswered['data'], 'userId'> };

export interface OpenChallenge {
  readonly status: 'open';
  readonly userId: UserId;
  readonly sealedAppName: string | null;
  readonly sealedDeviceInfo: string | null;
  readonly scopes: readonly Scope[];
  readonly issuedAt: string;
  readonly expiresAt: string;
  readonly attemptsLeft: number;
}

export type ChallengeState =
  { readonly status: 'absent' } | OpenChallenge | { readonly status: 'answered' };

/**
 * The challenge, if it can still be answered.
 * @param at ISO 8601 UTC
 * @throws DomainError `invalid_challenge`
 */
export const openChallenge = (state: ChallengeState, at: string): OpenChallenge =>
  state.status === 'open' && at < state.expiresAt && state.attemptsLeft > 0
    ? state
    : reject('invalid_challenge', 'the temporary token is not valid or has expired: log in again');

const decide = (
  { type, data }: ChallengeCommand,
  state: ChallengeState,
): readonly ChallengeEvent[] => {
  switch (type) {
    case 'IssueChallenge':
      return state.status === 'absent' ? [ChallengeIssued.of(data)] : [];
    case 'FailChallenge': {
      const { userId, attemptsLeft } = openChallenge(state, data.failedAt);
      return [ChallengeFailed.of({ ...data, userId, attemptsLeft: attemptsLeft - 1 })];
    }
    case 'AnswerChallenge': {
      const { userId } = openChallenge(state, data.answeredAt);
      return [ChallengeAnswered.of({ ...data, userId })];
    }
  }
};

const evolve = (state: ChallengeState, { type, data }: ChallengeEvent): ChallengeState => {
  switch (type) {
    case 'ChallengeIssued': {
      const { challengeHash: _, ...challenge } = data;
      return { status: 'open', ...challenge, attemptsLeft: CHALLENGE_ATTEMPTS_MAX };
    }
    case 'ChallengeFailed':
      return state.status === 'open' ? { ...state, attemptsLeft: data.attemptsLeft } : state;
    case 'ChallengeAnswered':
      return { status: 'answered' };
  }
};

export const challengeDecider: Decider<ChallengeCommand, ChallengeState, ChallengeEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
