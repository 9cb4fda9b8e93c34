import { type Role } from '#events/identity/identity.vocabulary.js';
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
  UserDisabled,
  UserEnabled,
  UserErased,
  type UserEvent,
  UserRegistered,
  UserRoleChanged,
} from '#events/identity/user.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';
import {
  lockedSeconds,
  nextWrongCode,
  NO_WRONG_CODES,
  type UnreportedWrongCodes,
  withWrongCode,
  type WrongCodes,
} from '../two-factor/wrong-codes.js';

/**
 * The result of checking a presented code. The caller decrypts the secret and compares the code;
 * the decider decides whether the code may still be used.
 */
export type Proof =
  | { readonly kind: 'none' }
  | { readonly kind: 'one_time_code'; readonly enrolmentId: string; readonly step: number }
  | { readonly kind: 'recovery_code'; readonly recoveryCodeHash: string };

export type UserCommand =
  | { readonly type: 'RegisterUser'; readonly data: UserRegistered['data'] }
  | { readonly type: 'StartTwoFactorEnrolment'; readonly data: TwoFactorEnrolmentStarted['data'] }
  | {
      readonly type: 'ConfirmTwoFactor';
      readonly data: {
        readonly userId: UserId;
        readonly proof: Proof;
        readonly recoveryCodeHashes: readonly string[];
        readonly enabledAt: string;
      };
    }
  /** At a log-in. */
  | {
      readonly type: 'PresentSecondFactor';
      readonly data: { readonly userId: UserId; readonly proof: Proof; readonly at: string };
    }
  | {
      readonly type: 'ReplaceRecoveryCodes';
      readonly data: {
        readonly userId: UserId;
        readonly proof: Proof;
        readonly recoveryCodeHashes: readonly string[];
        readonly at: string;
      };
    }
  | {
      readonly type: 'DisableTwoFactor';
      readonly data: { readonly userId: UserId; readonly proof: Proof; readonly at: string };
    }
  | { readonly type: 'DisableUser'; readonly data: UserDisabled['data'] }
  | { readonly type: 'EnableUser'; readonly data: UserEnabled['data'] }
  | { readonly type: 'ChangeRole'; readonly data: UserRoleChanged['data'] }
  | { readonly type: 'ChangePassword'; readonly data: PasswordChanged['data'] }
  | { readonly type: 'OfferPasswordReset'; readonly data: PasswordResetOffered['data'] }
  | {
      readonly type: 'ResetPassword';
      readonly data: PasswordChanged['data'] & { readonly secretHash: string };
    }
  /** An operator turns the second factor off for a user who has lost it. */
  | { readonly type: 'ResetTwoFactor'; readonly data: TwoFactorDisabled['data'] }
  | {
      readonly type: 'EraseUser';
      readonly data: {
        readonly userId: UserId;
        readonly reason: UserErased['data']['reason'];
        readonly erasedAt: string;
      };
    };

export type TwoFactor =
  | { readonly status: 'off' }
  | {
      readonly status: 'enrolling';
      readonly enrolmentId: string;
      readonly sealedSecret: string;
    }
  | {
      readonly status: 'on';
      readonly enrolmentId: string;
      readonly sealedSecret: string;
      /** Codes of this time step and of earlier ones are rejected. */
      readonly lastStep: number;
      readonly recoveryCodeHashes: readonly string[];
      readonly wrongCodes: WrongCodes;
      /** Null: none since the last log-in. */
      readonly unreported: UnreportedWrongCodes | null;
    };

type ActiveTwoFactor = TwoFactor & { readonly status: 'on' };

/** Log-in and the account context read this state too. */
export interface RegisteredUser {
  readonly status: 'registered';
  readonly userId: UserId;
  readonly registrationId: string;
  readonly role: Role;
  readonly tenant: string;
  readonly usernameHash: string;
  readonly emailHash: string;
  /** Of a user of an OpenID provider. */
  readonly openidHash?: string;
  readonly sealedUsername: string;
  readonly sealedEmail: string;
  readonly sealedPasswordHash: string;
  readonly theme: string;
  readonly language: string;
  readonly twoFactor: TwoFactor;
  readonly disabled: boolean;
  /** Sessions and challenges from before this instant are invalid; null: none are. */
  readonly passwordChangedAt: string | null;
  /** Null: none is open. */
  readonly passwordReset: { readonly secretHash: string; readonly expiresAt: string } | null;
}

export type UserState =
  | { readonly status: 'absent' }
  | RegisteredUser
  | ({ readonly status: 'erased' } & Pick<
      RegisteredUser,
      'usernameHash' | 'emailHash' | 'openidHash'
    >);

type DataOf<Type extends UserCommand['type']> = (UserCommand & { readonly type: Type })['data'];

const register = (data: DataOf<'RegisterUser'>, state: UserState): readonly UserEvent[] => {
  if (state.status === 'absent') return [UserRegistered.of(data)];
  const repeated = state.status === 'registered' && state.registrationId === data.registrationId;
  return repeated
    ? []
    : reject('user_id_taken', `user ${data.userId} belongs to another registration`);
};

/**
 * Records the use of the proof, so that it is accepted once, and then the events; or records only
 * that the code was wrong. In back-off no one-time code is checked, so that a guess shows nothing.
 * A recovery code has 80 random bits and is checked: wrong codes do not lock the owner out.
 * @param reportedBy the wrong codes that the answer reports
 */
const proven = (
  data: DataOf<'PresentSecondFactor'>,
  { twoFactor }: RegisteredUser,
  then: readonly UserEvent[],
  reportedBy: (twoFactor: ActiveTwoFactor) => UnreportedWrongCodes | null = () => null,
): readonly UserEvent[] => {
  if (twoFactor.status !== 'on') {
    return reject('two_factor_not_enabled', 'two-factor authentication is not enabled');
  }
  const { wrongCodes } = twoFactor;
  const seconds = lockedSeconds(wrongCodes, data.at);
  const isChecked = seconds === 0 || data.proof.kind === 'recovery_code';
  const accepted = isChecked ? acceptance(data, twoFactor, reportedBy(twoFactor)) : null;
  if (accepted) return [accepted, ...then];
  if (seconds > 0) {
    const detail = `too many wrong codes for this user; try again in ${seconds} s`;
    return reject('too_many_wrong_codes', detail, { retry_after_seconds: seconds });
  }
  return [SecondFactorFailed.of({ userId: data.userId, ...nextWrongCode(wrongCodes, data.at) })];
};

/** Null for a code that is wrong, or was used. */
const acceptance = (
  { userId, proof, at }: DataOf<'PresentSecondFactor'>,
  { enrolmentId, lastStep, recoveryCodeHashes }: ActiveTwoFactor,
  reportedWrongCodes: UnreportedWrongCodes | null,
): UserEvent | null => {
  switch (proof.kind) {
    case 'none':
      return null;
    case 'one_time_code': {
      const { step } = proof;
      if (proof.enrolmentId !== enrolmentId || step <= lastStep) return null;
      const data = { userId, enrolmentId, step, acceptedAt: at, reportedWrongCodes };
      return OneTimeCodeAccepted.of(data);
    }
    case 'recovery_code': {
      const { recoveryCodeHash } = proof;
      const left = recoveryCodeHashes.filter((hash) => hash !== recoveryCodeHash);
      const codesLeft = left.length;
      if (codesLeft === recoveryCodeHashes.length) return null;
      const data = { userId, recoveryCodeHash, codesLeft, usedAt: at, reportedWrongCodes };
      return RecoveryCodeUsed.of(data);
    }
  }
};

const confirm = (
  { userId, proof, recoveryCodeHashes, enabledAt }: DataOf<'ConfirmTwoFactor'>,
  { twoFactor }: RegisteredUser,
): readonly UserEvent[] => {
  if (twoFactor.status === 'on') {
    reject('two_factor_enabled', 'two-factor authentication is enabled already');
  }
  if (twoFactor.status !== 'enrolling') {
    return reject('two_factor_not_enrolling', 'start the enrolment first');
  }
  const { enrolmentId } = twoFactor;
  if (proof.kind !== 'one_time_code' || proof.enrolmentId !== enrolmentId) {
    return reject('invalid_otp', 'the code is not valid');
  }
  const { step } = proof;
  const hashes = [...recoveryCodeHashes];
  const data = { userId, enrolmentId, step, recoveryCodeHashes: hashes, enabledAt };
  return [TwoFactorEnabled.of(data)];
};

const replaceRecoveryCodes = (
  { userId, proof, recoveryCodeHashes, at }: DataOf<'ReplaceRecoveryCodes'>,
  state: RegisteredUser,
): readonly UserEvent[] => {
  const hashes = [...recoveryCodeHashes];
  const replaced = RecoveryCodesReplaced.of({ userId, recoveryCodeHashes: hashes, replacedAt: at });
  return proven({ userId, proof, at }, state, [replaced]);
};

const decide = ({ type, data }: UserCommand, state: UserState): readonly UserEvent[] => {
  if (type === 'RegisterUser') return register(data, state);
  if (type === 'EraseUser' && state.status === 'erased') return [];
  if (state.status !== 'registered') return reject('user_not_found', 'there is no such user');
  switch (type) {
    case 'StartTwoFactorEnrolment':
      return state.twoFactor.status === 'on'
        ? reject('two_factor_enabled', 'two-factor authentication is enabled already')
        : [TwoFactorEnrolmentStarted.of(data)];
    case 'ConfirmTwoFactor':
      return confirm(data, state);
    case 'PresentSecondFactor':
      return proven(data, state, [], ({ unreported }) => unreported);
    case 'ReplaceRecoveryCodes':
      return replaceRecoveryCodes(data, state);
    case 'DisableTwoFactor': {
      const { userId, at: disabledAt } = data;
      return proven(data, state, [TwoFactorDisabled.of({ userId, disabledAt })]);
    }
    case 'DisableUser':
      return state.disabled ? [] : [UserDisabled.of(data)];
    case 'EnableUser':
      return state.disabled ? [UserEnabled.of(data)] : [];
    case 'ChangeRole':
      return state.role === data.role ? [] : [UserRoleChanged.of(data)];
    case 'ChangePassword':
      return [PasswordChanged.of(data)];
    case 'OfferPasswordReset':
      return [PasswordResetOffered.of(data)];
    case 'ResetPassword': {
      const { secretHash, ...change } = data;
      demandOpenReset(state, data);
      return [PasswordChanged.of(change)];
    }
    case 'ResetTwoFactor':
      return state.twoFactor.status === 'off' ? [] : [TwoFactorDisabled.of(data)];
    case 'EraseUser': {
      const { usernameHash, emailHash, openidHash } = state;
      const openid = openidHash === undefined ? {} : { openidHash };
      return [UserErased.of({ ...data, usernameHash, emailHash, ...openid })];
    }
  }
};

/**
 * @throws DomainError `invalid_reset` for a secret that is unknown, was used, or has expired
 */
export const demandOpenReset = (
  { passwordReset }: RegisteredUser,
  { secretHash, changedAt }: Pick<DataOf<'ResetPassword'>, 'secretHash' | 'changedAt'>,
): void => {
  if (passwordReset?.secretHash === secretHash && changedAt < passwordReset.expiresAt) return;
  reject('invalid_reset', 'the token was used, has expired or is unknown: ask for another one');
};

const withTwoFactor = (state: UserState, change: (twoFactor: TwoFactor) => TwoFactor): UserState =>
  state.status === 'registered' ? { ...state, twoFactor: change(state.twoFactor) } : state;

const FRESH = {
  status: 'registered',
  twoFactor: { status: 'off' },
  disabled: false,
  passwordChangedAt: null,
  passwordReset: null,
} as const;

/** Of a user that is registered. */
const changed = (state: UserState, change: Partial<RegisteredUser>): UserState =>
  state.status === 'registered' ? { ...state, ...change } : state;

const enabled = (
  before: TwoFactor,
  { enrolmentId, step: lastStep, recoveryCodeHashes }: TwoFactorEnabled['data'],
): TwoFactor => {
  if (before.status === 'off') return before;
  const { sealedSecret } = before;
  const codes = { lastStep, recoveryCodeHashes, wrongCodes: NO_WRONG_CODES, unreported: null };
  return { status: 'on', enrolmentId, sealedSecret, ...codes };
};

const evolve = (state: UserState, { type, data }: UserEvent): UserState => {
  switch (type) {
    case 'UserRegistered': {
      const { registeredAt: _, ...user } = data;
      return { ...user, ...FRESH };
    }
    case 'TwoFactorEnrolmentStarted': {
      const { enrolmentId, sealedSecret } = data;
      return withTwoFactor(state, () => ({ status: 'enrolling', enrolmentId, sealedSecret }));
    }
    case 'TwoFactorEnabled':
      return withTwoFactor(state, (before) => enabled(before, data));
    case 'SecondFactorFailed':
      return withTwoFactor(state, (before) =>
        before.status === 'on'
          ? {
              ...before,
              wrongCodes: withWrongCode(before.wrongCodes, data),
              unreported: { count: (before.unreported?.count ?? 0) + 1, lastAt: data.failedAt },
            }
          : before,
      );
    case 'OneTimeCodeAccepted':
      return withTwoFactor(state, (before) =>
        before.status === 'on' ? { ...withReport(before, data), lastStep: data.step } : before,
      );
    case 'RecoveryCodeUsed':
      return withTwoFactor(state, (before) =>
        before.status === 'on'
          ? { ...withReport(before, data), recoveryCodeHashes: withoutCode(before, data) }
          : before,
      );
    case 'RecoveryCodesReplaced': {
      const { recoveryCodeHashes } = data;
      return withTwoFactor(state, (before) =>
        before.status === 'on' ? { ...before, recoveryCodeHashes } : before,
      );
    }
    case 'TwoFactorDisabled':
      return withTwoFactor(state, () => ({ status: 'off' }));
    case 'UserDisabled':
      return changed(state, { disabled: true });
    case 'UserEnabled':
      return changed(state, { disabled: false });
    case 'UserRoleChanged':
      return changed(state, { role: data.role });
    case 'PasswordChanged': {
      const { sealedPasswordHash, changedAt: passwordChangedAt } = data;
      return changed(state, { sealedPasswordHash, passwordChangedAt, passwordReset: null });
    }
    case 'PasswordResetOffered': {
      const { secretHash, expiresAt } = data;
      return changed(state, { passwordReset: { secretHash, expiresAt } });
    }
    case 'UserErased': {
      const { userId: _user, reason: _reason, erasedAt: _at, ...names } = data;
      return { status: 'erased', ...names };
    }
  }
};

const withReport = (
  before: ActiveTwoFactor,
  { reportedWrongCodes }: (OneTimeCodeAccepted | RecoveryCodeUsed)['data'],
): ActiveTwoFactor => ({
  ...before,
  wrongCodes: NO_WRONG_CODES,
  unreported: reportedWrongCodes === null ? before.unreported : null,
});

const withoutCode = (
  { recoveryCodeHashes }: ActiveTwoFactor,
  { recoveryCodeHash }: RecoveryCodeUsed['data'],
): readonly string[] => recoveryCodeHashes.filter((hash) => hash !== recoveryCodeHash);

export const userDecider: Decider<UserCommand, UserState, UserEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
