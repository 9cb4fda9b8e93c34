import { describe, it } from '@jest/globals';
import {
  OneTimeCodeAccepted,
  PasswordChanged,
  PasswordResetOffered,
  RecoveryCodesReplaced,
  RecoveryCodeUsed,
  SecondFactorFailed,
  TwoFactorDisabled,
  TwoFactorEnabled,
  TwoFactorEnrolmentStarted,
  UserErased,
  UserRegistered,
} from '#events/identity/user.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type Proof, type UserCommand, userDecider } from './user.decider.js';

const user = deciderSpecOf(userDecider);

const AT = '2026-11-21T04:48:00.000Z';
const LATER = '2026-11-21T04:50:00.000Z';
const ENROLMENT = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f01';
const ANOTHER = '7b0c3a52-6a53-4c55-9d0f-0d3a5a3f8f02';
const SEALED = 'A'.repeat(48);
const [CODE, OTHER_CODE, FRESH_CODE] = ['a', 'b', 'c'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
];
const userId = UserId.parse(1);

const registration: UserRegistered['data'] = {
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
  registeredAt: AT,
};
const { usernameHash, emailHash } = registration;
const registered = UserRegistered.of(registration);
const enrolling = TwoFactorEnrolmentStarted.of({
  userId,
  enrolmentId: ENROLMENT,
  sealedSecret: SEALED,
  startedAt: AT,
});
const enabled = TwoFactorEnabled.of({
  userId,
  enrolmentId: ENROLMENT,
  step: 100,
  recoveryCodeHashes: [CODE, OTHER_CODE],
  enabledAt: AT,
});
const erased = UserErased.of({
  userId,
  usernameHash,
  emailHash,
  reason: 'requested',
  erasedAt: AT,
});

const none: Proof = { kind: 'none' };
const step = (at: number, enrolmentId = ENROLMENT): Proof => ({
  kind: 'one_time_code',
  enrolmentId,
  step: at,
});
const recovery = (recoveryCodeHash: string): Proof => ({ kind: 'recovery_code', recoveryCodeHash });

const register = (data = registration): UserCommand => ({ type: 'RegisterUser', data });
const start: UserCommand = { type: 'StartTwoFactorEnrolment', data: enrolling.data };
const confirm = (proof: Proof): UserCommand => ({
  type: 'ConfirmTwoFactor',
  data: { userId, proof, recoveryCodeHashes: [CODE, OTHER_CODE], enabledAt: AT },
});
const present = (proof: Proof): UserCommand => ({
  type: 'PresentSecondFactor',
  data: { userId, proof, at: LATER },
});
const replace = (proof: Proof): UserCommand => ({
  type: 'ReplaceRecoveryCodes',
  data: { userId, proof, recoveryCodeHashes: [FRESH_CODE], at: LATER },
});
const disable = (proof: Proof): UserCommand => ({
  type: 'DisableTwoFactor',
  data: { userId, proof, at: LATER },
});
const erase: UserCommand = {
  type: 'EraseUser',
  data: { userId, reason: 'requested', erasedAt: AT },
};

const accepted = (at: number) =>
  OneTimeCodeAccepted.of({
    userId,
    enrolmentId: ENROLMENT,
    step: at,
    acceptedAt: LATER,
    reportedWrongCodes: null,
  });
const used = (recoveryCodeHash: string, codesLeft: number) =>
  RecoveryCodeUsed.of({
    userId,
    recoveryCodeHash,
    codesLeft,
    usedAt: LATER,
    reportedWrongCodes: null,
  });
const wrong = SecondFactorFailed.of({ userId, wrongCodes: 1, failedAt: LATER, lockedUntil: null });
const replaced = RecoveryCodesReplaced.of({
  userId,
  recoveryCodeHashes: [FRESH_CODE],
  replacedAt: LATER,
});
const disabled = TwoFactorDisabled.of({ userId, disabledAt: LATER });

describe('registering', () => {
  it('registers', () => {
    user.given().when(register()).then(registered);
  });
  it('does nothing for the same registration', () => {
    user.given(registered).when(register()).thenNothing();
  });
  it('rejects the id of another registration', () => {
    const other = { ...registration, registrationId: ANOTHER };
    user.given(registered).when(register(other)).thenThrows('user_id_taken');
  });
  it('never assigns the id of an erased user again', () => {
    user.given(registered, erased).when(register()).thenThrows('user_id_taken');
  });
});

describe('enrolling for two-factor authentication', () => {
  it('starts, and starts again', () => {
    user.given(registered).when(start).then(enrolling);
    user.given(registered, enrolling).when(start).then(enrolling);
  });
  it('does not start when it is on', () => {
    user.given(registered, enrolling, enabled).when(start).thenThrows('two_factor_enabled');
  });
  it('is confirmed by a code', () => {
    user
      .given(registered, enrolling)
      .when(confirm(step(100)))
      .then(enabled);
  });
  it.each([
    ['no code', none],
    ['a code of another enrolment', step(100, ANOTHER)],
    ['a recovery code', recovery(CODE)],
  ])('is not confirmed by %s', (_, proof) => {
    user.given(registered, enrolling).when(confirm(proof)).thenThrows('invalid_otp');
  });
  it('rejects a confirmation before the start, whatever the code', () => {
    user.given(registered).when(confirm(none)).thenThrows('two_factor_not_enrolling');
  });
  it('rejects a second confirmation, whatever the code', () => {
    user.given(registered, enrolling, enabled).when(confirm(none)).thenThrows('two_factor_enabled');
  });
});

describe('presenting a second factor', () => {
  const on = user.given(registered, enrolling, enabled);
  it('accepts a later step', () => {
    on.when(present(step(101))).then(accepted(101));
  });
  it('counts as wrong the step that confirmed, and earlier ones', () => {
    on.when(present(step(100))).then(wrong);
    on.when(present(step(99))).then(wrong);
  });
  it('counts as wrong a step that was accepted', () => {
    user
      .given(registered, enrolling, enabled, accepted(101))
      .when(present(step(101)))
      .then(wrong);
  });
  it('counts as wrong no code, and the code of another enrolment', () => {
    on.when(present(none)).then(wrong);
    on.when(present(step(101, ANOTHER))).then(wrong);
  });
  it('accepts each recovery code once', () => {
    on.when(present(recovery(CODE))).then(used(CODE, 1));
    const once = user.given(registered, enrolling, enabled, used(CODE, 1));
    once.when(present(recovery(CODE))).then(wrong);
    once.when(present(recovery(OTHER_CODE))).then(used(OTHER_CODE, 0));
  });
  it('rejects when it is off, whatever the code', () => {
    user.given(registered).when(present(none)).thenThrows('two_factor_not_enabled');
    user
      .given(registered, enrolling)
      .when(present(step(1)))
      .thenThrows('two_factor_not_enabled');
  });
});

describe('replacing recovery codes', () => {
  it('consumes the code and replaces them', () => {
    user
      .given(registered, enrolling, enabled)
      .when(replace(step(101)))
      .then(accepted(101), replaced);
  });
  it('counts the old codes as wrong afterwards', () => {
    user
      .given(registered, enrolling, enabled, accepted(101), replaced)
      .when(present(recovery(CODE)))
      .then(wrong);
  });
  it('counts a wrong code and does nothing else', () => {
    user.given(registered, enrolling, enabled).when(replace(none)).then(wrong);
  });
});

describe('turning two-factor authentication off', () => {
  it('consumes the code and turns it off', () => {
    user
      .given(registered, enrolling, enabled)
      .when(disable(recovery(CODE)))
      .then(used(CODE, 1), disabled);
  });
  it('is off afterwards', () => {
    user
      .given(registered, enrolling, enabled, disabled)
      .when(present(step(102)))
      .thenThrows('two_factor_not_enabled');
  });
  it('counts a wrong code and does nothing else', () => {
    user.given(registered, enrolling, enabled).when(disable(none)).then(wrong);
  });
});

describe('resetting a password', () => {
  const offered = (secretHash: string) =>
    PasswordResetOffered.of({ userId, secretHash, offeredAt: AT, expiresAt: LATER });
  const changed = PasswordChanged.of({ userId, sealedPasswordHash: SEALED, changedAt: AT });
  const reset = (secretHash: string, changedAt = AT): UserCommand => ({
    type: 'ResetPassword',
    data: { userId, sealedPasswordHash: SEALED, changedAt, secretHash },
  });

  it('changes the password once, by the latest offer', () => {
    const { data } = offered(CODE);
    user.given(registered).when({ type: 'OfferPasswordReset', data }).then(offered(CODE));
    user.given(registered, offered(CODE)).when(reset(CODE)).then(changed);
    const used = user.given(registered, offered(CODE), changed).when(reset(CODE));
    used.thenThrows('invalid_reset');
    const replaced = user.given(registered, offered(CODE), offered(OTHER_CODE)).when(reset(CODE));
    replaced.thenThrows('invalid_reset');
  });

  it('is not possible without an offer, by another secret, or from its end on', () => {
    user.given(registered).when(reset(CODE)).thenThrows('invalid_reset');
    const open = [registered, offered(CODE)] as const;
    user
      .given(...open)
      .when(reset(OTHER_CODE))
      .thenThrows('invalid_reset');
    user
      .given(...open)
      .when(reset(CODE, LATER))
      .thenThrows('invalid_reset');
  });
});

describe('resetting a second factor', () => {
  const reset: UserCommand = { type: 'ResetTwoFactor', data: { userId, disabledAt: AT } };
  const off = TwoFactorDisabled.of({ userId, disabledAt: AT });

  it('turns it off, also while it is being enrolled', () => {
    user.given(registered, enrolling, enabled).when(reset).then(off);
    user.given(registered, enrolling).when(reset).then(off);
    user.given(registered).when(reset).thenNothing();
  });
});

describe('erasing', () => {
  it('erases once', () => {
    user.given(registered).when(erase).then(erased);
    user.given(registered, erased).when(erase).thenNothing();
  });
  it.each([start, confirm(none), present(none), replace(none), disable(none), erase])(
    'rejects for a user who is not there: %j',
    (command) => {
      user.given().when(command).thenThrows('user_not_found');
    },
  );
  it.each([start, confirm(none), present(none), replace(none), disable(none)])(
    'rejects for a user who was erased: %j',
    (command) => {
      user.given(registered, erased).when(command).thenThrows('user_not_found');
    },
  );
});
