import { type Role } from '#events/identity/identity.vocabulary.js';
import {
  OneTimeCodeAccepted,
  RecoveryCodesReplaced,
  RecoveryCodeUsed,
  TwoFactorDisabled,
  TwoFactorEnabled,
  TwoFactorEnrolmentStarted,
  UserErased,
  type UserEvent,
  UserRegistered,
} from '#events/identity/user.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../identity.errors.js';

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
    };

/** Log-in and the account context read this state too. */
export interface RegisteredUser {
  readonly status: 'registered';
  readonly userId: UserId;
  readonly registrationId: string;
  readonly role: Role;
  readonly tenant: string;
  readonly usernameHash: string;
  readonly emailHash: string;
  readonly sealedUsername: string;
  readonly sealedEmail: string;
  readonly sealedPasswordHash: string;
  readonly theme: string;
  readonly language: string;
  readonly twoFactor: TwoFactor;
}

export type UserState =
  | { readonly status: 'absent' }
  | RegisteredUser
  | { readonly status: 'erased'; readonly usernameHash: string; readonly emailHash: string };

type DataOf<Type extends UserCommand['type']> = (UserCommand & { readonly type: Type })['data'];

const register = (data: DataOf<'RegisterUser'>, state: UserState): readonly UserEvent[] => {
  if (state.status === 'absent') return [UserRegistered.of(data)];
  const repeated = state.status === 'registered' && state.registrationId === data.registrationId;
  return repeated
    ? []
    : reject('user_id_taken', `user ${data.userId} belongs to another registration`);
};

/** The event that records the use of the proof, so that it is accepted once. */
const accept = (
  { userId, proof, at }: DataOf<'PresentSecondFactor'>,
  { twoFactor }: RegisteredUser,
): UserEvent => {
  if (twoFactor.status !== 'on') {
    return reject('two_factor_not_enabled', 'two-factor authentication is not enabled');
  }
  switch (proof.kind) {
    case 'none':
      return reject('invalid_otp', 'the code is not valid');
    case 'one_time_code': {
      const { enrolmentId, step } = proof;
      const stale = enrolmentId !== twoFactor.enrolmentId || step <= twoFactor.lastStep;
      if (stale) reject('invalid_otp', 'the code is not valid');
      return OneTimeCodeAccepted.of({ userId, enrolmentId, step, acceptedAt: at });
    }
    case 'recovery_code': {
      const { recoveryCodeHash } = proof;
      const left = twoFactor.recoveryCodeHashes.filter((hash) => hash !== recoveryCodeHash);
      const codesLeft = left.length;
      if (codesLeft === twoFactor.recoveryCodeHashes.length) {
        reject('invalid_otp', 'the code is not valid');
      }
      return RecoveryCodeUsed.of({ userId, recoveryCodeHash, codesLeft, usedAt: at });
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
): readonly UserEvent[] => [
  accept({ userId, proof, at }, state),
  RecoveryCodesReplaced.of({
    userId,
    recoveryCodeHashes: [...recoveryCodeHashes],
    replacedAt: at,
  }),
];

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
      return [accept(data, state)];
    case 'ReplaceRecoveryCodes':
      return replaceRecoveryCodes(data, state);
    case 'DisableTwoFactor': {
      const { userId, at: disabledAt } = data;
      return [accept(data, state), TwoFactorDisabled.of({ userId, disabledAt })];
    }
    case 'EraseUser': {
      const { usernameHash, emailHash } = state;
      return [UserErased.of({ ...data, usernameHash, emailHash })];
    }
  }
};

const withTwoFactor = (state: UserState, change: (twoFactor: TwoFactor) => TwoFactor): UserState =>
  state.status === 'registered' ? { ...state, twoFactor: change(state.twoFactor) } : state;

const evolve = (state: UserState, { type, data }: UserEvent): UserState => {
  switch (type) {
    case 'UserRegistered': {
      const { registeredAt: _, ...user } = data;
      return { ...user, status: 'registered', twoFactor: { status: 'off' } };
    }
    case 'TwoFactorEnrolmentStarted': {
      const { enrolmentId, sealedSecret } = data;
      return withTwoFactor(state, () => ({ status: 'enrolling', enrolmentId, sealedSecret }));
    }
    case 'TwoFactorEnabled': {
      const { enrolmentId, step: lastStep, recoveryCodeHashes } = data;
      return withTwoFactor(state, (before) =>
        before.status === 'off'
          ? before
          : {
              status: 'on',
              enrolmentId,
              sealedSecret: before.sealedSecret,
              lastStep,
              recoveryCodeHashes,
            },
      );
    }
    case 'OneTimeCodeAccepted':
      return withTwoFactor(state, (before) =>
        before.status === 'on' ? { ...before, lastStep: data.step } : before,
      );
    case 'RecoveryCodeUsed':
      return withTwoFactor(state, (before) => withoutCode(before, data.recoveryCodeHash));
    case 'RecoveryCodesReplaced': {
      const { recoveryCodeHashes } = data;
      return withTwoFactor(state, (before) =>
        before.status === 'on' ? { ...before, recoveryCodeHashes } : before,
      );
    }
    case 'TwoFactorDisabled':
      return withTwoFactor(state, () => ({ status: 'off' }));
    case 'UserErased': {
      const { usernameHash, emailHash } = data;
      return { status: 'erased', usernameHash, emailHash };
    }
  }
};

const withoutCode = (before: TwoFactor, used: string): TwoFactor =>
  before.status === 'on'
    ? { ...before, recoveryCodeHashes: before.recoveryCodeHashes.filter((hash) => hash !== used) }
    : before;

export const userDecider: Decider<UserCommand, UserState, UserEvent> = {
  initialState: { status: 'absent' },
  decide,
  evolve,
};
