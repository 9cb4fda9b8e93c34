import { describe, expect, it } from '@jest/globals';
import {
  OneTimeCodeAccepted,
  RecoveryCodesReplaced,
  RecoveryCodeUsed,
  SecondFactorFailed,
  TwoFactorDisabled,
  TwoFactorEnabled,
  TwoFactorEnrolmentStarted,
  type UserEvent,
  UserRegistered,
} from '#events/identity/user.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type Proof, type UserCommand, userDecider } from '../users/user.decider.js';

const START_MS = Date.parse('2026-11-21T04:00:00.000Z');
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ENROLMENT = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
const RECOVERY_HASH = 'a'.repeat(64);
const SEALED = 'A'.repeat(48);
const userId = UserId.parse(1);

const at = (seconds: number): string => new Date(START_MS + seconds * 1_000).toISOString();

const enrolled: readonly UserEvent[] = [
  UserRegistered.of({
    userId,
    registrationId: ENROLMENT,
    role: 'renter',
    tenant: 'quipu',
    usernameHash: '1'.repeat(64),
    emailHash: '2'.repeat(64),
    sealedUsername: SEALED,
    sealedEmail: SEALED,
    sealedPasswordHash: SEALED,
    theme: 'system',
    language: 'en',
    registeredAt: at(0),
  }),
  TwoFactorEnrolmentStarted.of({
    userId,
    enrolmentId: ENROLMENT,
    sealedSecret: SEALED,
    startedAt: at(0),
  }),
  TwoFactorEnabled.of({
    userId,
    enrolmentId: ENROLMENT,
    step: 100,
    recoveryCodeHashes: [RECOVERY_HASH],
    enabledAt: at(0),
  }),
];

const WRONG: Proof = { kind: 'none' };
const right = (step: number): Proof => ({ kind: 'one_time_code', enrolmentId: ENROLMENT, step });

const present = (proof: Proof, seconds: number): UserCommand => ({
  type: 'PresentSecondFactor',
  data: { userId, proof, at: at(seconds) },
});
const replace = (proof: Proof, seconds: number): UserCommand => ({
  type: 'ReplaceRecoveryCodes',
  data: { userId, proof, recoveryCodeHashes: [], at: at(seconds) },
});
const disable = (proof: Proof, seconds: number): UserCommand => ({
  type: 'DisableTwoFactor',
  data: { userId, proof, at: at(seconds) },
});

/** @param lockedSeconds null: the next code is checked */
const failed = (wrongCodes: number, seconds: number, lockedSeconds: number | null = null) =>
  SecondFactorFailed.of({
    userId,
    wrongCodes,
    failedAt: at(seconds),
    lockedUntil: lockedSeconds === null ? null : at(seconds + lockedSeconds),
  });

const accepted = (step: number, seconds: number, reported: readonly [number, number] | null) =>
  OneTimeCodeAccepted.of({
    userId,
    enrolmentId: ENROLMENT,
    step,
    acceptedAt: at(seconds),
    reportedWrongCodes: reported && { count: reported[0], lastAt: at(reported[1]) },
  });

/** So many wrong codes, a second apart, from the first second on. */
const wrongCodes = (count: number): readonly UserEvent[] =>
  Array.from({ length: count }, (_, n) => failed(n + 1, n + 1));

const tenWrong = [...wrongCodes(9), failed(10, 10, MINUTE)];

const user = deciderSpecOf(userDecider);

describe('wrong codes of a second factor', () => {
  it('are counted, ten in an hour without a pause', () => {
    user
      .given(...enrolled)
      .when(present(WRONG, 1))
      .then(failed(1, 1));
    user
      .given(...enrolled, ...wrongCodes(8))
      .when(present(WRONG, 9))
      .then(failed(9, 9));
  });

  it('close the second factor for a minute with the tenth of an hour', () => {
    const nine = user.given(...enrolled, ...wrongCodes(9));
    nine.when(present(WRONG, HOUR)).then(failed(10, HOUR, MINUTE));
    // The first was an hour ago.
    nine.when(present(WRONG, HOUR + 1)).then(failed(10, HOUR + 1));
  });

  it('close it with the thirtieth, however slowly they come', () => {
    const slow = Array.from({ length: 29 }, (_, n) => failed(n + 1, n * HOUR));
    user
      .given(...enrolled, ...slow)
      .when(present(WRONG, 29 * HOUR))
      .then(failed(30, 29 * HOUR, MINUTE));
  });

  it.each<[string, (proof: Proof, seconds: number) => UserCommand]>([
    ['a log-in', present],
    ['new recovery codes', replace],
    ['turning it off', disable],
  ])('count, and are refused in back-off, for %s', (_, command) => {
    user
      .given(...enrolled, ...wrongCodes(9))
      .when(command(WRONG, 10))
      .then(failed(10, 10, MINUTE));
    const closed = user.given(...enrolled, ...tenWrong);
    closed.when(command(WRONG, 69)).thenThrows('too_many_wrong_codes');
    closed.when(command(right(101), 69)).thenThrows('too_many_wrong_codes');
    closed
      .when(command({ kind: 'recovery_code', recoveryCodeHash: 'b'.repeat(64) }, 69))
      .thenThrows('too_many_wrong_codes');
  });

  it('leave the recovery codes, each of which works once in back-off', () => {
    const closed = user.given(...enrolled, ...tenWrong);
    const proof = { kind: 'recovery_code', recoveryCodeHash: RECOVERY_HASH } as const;
    const used = RecoveryCodeUsed.of({
      userId,
      recoveryCodeHash: RECOVERY_HASH,
      codesLeft: 0,
      usedAt: at(30),
      reportedWrongCodes: { count: 10, lastAt: at(10) },
    });
    closed.when(present(proof, 30)).then(used);
    user
      .given(...enrolled, ...tenWrong, used)
      .when(present(proof, 31))
      .then(failed(1, 31));
  });

  it('say how long a code is refused', () => {
    const state = [...enrolled, ...tenWrong].reduce(userDecider.evolve, userDecider.initialState);
    const refused = () => userDecider.decide(present(right(101), 30), state);
    const error = new DomainError(
      'too_many_wrong_codes',
      'too many wrong codes for this user; try again in 40 s',
      { retry_after_seconds: 40 },
    );
    expect(refused).toThrow(error);
  });

  it('are checked again from the end of the back-off on', () => {
    const closed = user.given(...enrolled, ...tenWrong);
    closed.when(present(right(101), 70)).then(accepted(101, 70, [10, 10]));
    closed.when(present(WRONG, 70)).then(failed(11, 70, 2 * MINUTE));
  });

  it('double the back-off, up to a day, whatever the pauses between them', () => {
    const facts: UserEvent[] = [...enrolled, ...tenWrong];
    let seconds = 10;
    const backOffs = Array.from({ length: 12 }, (_, n) => {
      seconds += 2 * DAY;
      const lockedSeconds = Math.min(MINUTE * 2 ** (n + 1), DAY);
      const fact = failed(11 + n, seconds, lockedSeconds);
      user
        .given(...facts)
        .when(present(WRONG, seconds))
        .then(fact);
      facts.push(fact);
      return lockedSeconds;
    });
    expect(backOffs.slice(-3)).toEqual([1024 * MINUTE, DAY, DAY]);
  });

  it('are forgotten when a code is accepted', () => {
    const facts = [...enrolled, ...tenWrong, accepted(101, 70, [10, 10])];
    user
      .given(...facts)
      .when(present(WRONG, 71))
      .then(failed(1, 71));
  });
});

describe('a log-in', () => {
  it('reports the wrong codes since the last one', () => {
    const two = [...enrolled, ...wrongCodes(2)];
    user
      .given(...two)
      .when(present(right(101), 9))
      .then(accepted(101, 9, [2, 2]));
    user
      .given(...two, accepted(101, 9, [2, 2]))
      .when(present(right(102), 39))
      .then(accepted(102, 39, null));
  });

  it('reports those before a code that was no log-in', () => {
    const replaced = RecoveryCodesReplaced.of({
      userId,
      recoveryCodeHashes: [],
      replacedAt: at(9),
    });
    const two = [...enrolled, ...wrongCodes(2)];
    user
      .given(...two)
      .when(replace(right(101), 9))
      .then(accepted(101, 9, null), replaced);
    user
      .given(...two, accepted(101, 9, null), replaced, failed(1, 20))
      .when(present(right(102), 39))
      .then(accepted(102, 39, [3, 20]));
  });

  it('has nothing to report when the second factor was set up again', () => {
    const disabled = TwoFactorDisabled.of({ userId, disabledAt: at(9) });
    user
      .given(...enrolled, ...wrongCodes(2), accepted(101, 9, null), disabled, ...enrolled.slice(1))
      .when(present(right(102), 39))
      .then(accepted(102, 39, null));
  });
});
