import { describe, it } from '@jest/globals';
import {
  ChallengeAnswered,
  ChallengeFailed,
  ChallengeIssued,
} from '#events/identity/challenge.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { challengeDecider } from './challenge.decider.js';

const AT = '2026-11-21T04:48:00.000Z';
const UNTIL = '2026-11-21T04:53:00.000Z';
const HASH = 'a'.repeat(64);
const userId = UserId.parse(1);

describe('a challenge', () => {
  const challenge = deciderSpecOf(challengeDecider);
  const issue = {
    challengeHash: HASH,
    userId,
    sealedAppName: null,
    sealedDeviceInfo: null,
    scopes: ['inference'],
    issuedAt: AT,
    expiresAt: UNTIL,
  } satisfies ChallengeIssued['data'];
  const issued = ChallengeIssued.of(issue);
  const failure = (attemptsLeft: number) =>
    ChallengeFailed.of({ challengeHash: HASH, userId, attemptsLeft, failedAt: AT });
  const answered = ChallengeAnswered.of({ challengeHash: HASH, userId, answeredAt: AT });
  const answer = (answeredAt = AT) =>
    ({ type: 'AnswerChallenge', data: { challengeHash: HASH, answeredAt } }) as const;
  const fail = (failedAt = AT) =>
    ({ type: 'FailChallenge', data: { challengeHash: HASH, failedAt } }) as const;

  it('is issued once', () => {
    challenge.given().when({ type: 'IssueChallenge', data: issue }).then(issued);
    challenge.given(issued).when({ type: 'IssueChallenge', data: issue }).thenNothing();
  });

  it('is answered once', () => {
    challenge.given(issued).when(answer()).then(answered);
    challenge.given(issued, answered).when(answer()).thenThrows('invalid_challenge');
    challenge.given(issued, answered).when(fail()).thenThrows('invalid_challenge');
    challenge.given().when(answer()).thenThrows('invalid_challenge');
  });

  it('cannot be answered from the instant of its expiry', () => {
    challenge.given(issued).when(answer(UNTIL)).thenThrows('invalid_challenge');
    challenge.given(issued).when(fail(UNTIL)).thenThrows('invalid_challenge');
  });

  it('accepts five wrong answers', () => {
    challenge.given(issued).when(fail()).then(failure(4));
    challenge.given(issued, failure(4), failure(3), failure(2)).when(fail()).then(failure(1));
    challenge.given(issued, failure(1)).when(fail()).then(failure(0));
    challenge.given(issued, failure(1)).when(answer()).then(answered);
    challenge.given(issued, failure(0)).when(answer()).thenThrows('invalid_challenge');
    challenge.given(issued, failure(0)).when(fail()).thenThrows('invalid_challenge');
  });
});
