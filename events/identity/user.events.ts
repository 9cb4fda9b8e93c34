import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { Instant, Sha256Hex, UserId } from '../vocabulary.js';
import { NameHash, Role, Sealed, TenantSlug } from './identity.vocabulary.js';

export const UserRegistered = defineEvent('UserRegistered', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    /** The request that registered the user, so that a repeat is recognised. */
    registrationId: z.uuid(),
    role: Role,
    tenant: TenantSlug,
    usernameHash: NameHash,
    emailHash: NameHash,
    /** Of the subject of an OpenID provider that the user is; absent for a user with a password. */
    openidHash: NameHash.exactOptional(),
    sealedUsername: Sealed,
    sealedEmail: Sealed,
    /** Of the argon2id hash in PHC form. */
    sealedPasswordHash: Sealed,
    theme: z.enum(['system', 'light', 'dark']),
    /** BCP 47. */
    language: z.string().min(2).max(35),
    registeredAt: Instant,
  }),
});
export type UserRegistered = EventOf<typeof UserRegistered>;

/** A secret was issued. It has no effect until a code made with it is confirmed. */
export const TwoFactorEnrolmentStarted = defineEvent('TwoFactorEnrolmentStarted', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    enrolmentId: z.uuid(),
    /** Of the secret in base32. */
    sealedSecret: Sealed,
    startedAt: Instant,
  }),
});
export type TwoFactorEnrolmentStarted = EventOf<typeof TwoFactorEnrolmentStarted>;

export const TwoFactorEnabled = defineEvent('TwoFactorEnabled', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    enrolmentId: z.uuid(),
    /** The time step (RFC 6238) of the confirming code; codes up to this step are rejected. */
    step: z.int().nonnegative(),
    recoveryCodeHashes: z.array(Sha256Hex),
    enabledAt: Instant,
  }),
});
export type TwoFactorEnabled = EventOf<typeof TwoFactorEnabled>;

/**
 * A code that was not valid, against whichever challenge and from whichever address. Counted until
 * a code is accepted.
 */
export const SecondFactorFailed = defineEvent('SecondFactorFailed', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    /** Wrong codes since the last accepted one, this one included. */
    wrongCodes: z.int().positive(),
    failedAt: Instant,
    /** No code is checked before this instant; null: the next one is checked. */
    lockedUntil: Instant.nullable(),
  }),
});
export type SecondFactorFailed = EventOf<typeof SecondFactorFailed>;

/** The wrong codes that a log-in reports to its user. */
const ReportedWrongCodes = z
  .strictObject({ count: z.int().positive(), lastAt: Instant })
  .nullable();

export const OneTimeCodeAccepted = defineEvent('OneTimeCodeAccepted', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    enrolmentId: z.uuid(),
    step: z.int().nonnegative(),
    acceptedAt: Instant,
    /** Null: there were none since the last log-in, or this is no log-in. */
    reportedWrongCodes: ReportedWrongCodes,
  }),
});
export type OneTimeCodeAccepted = EventOf<typeof OneTimeCodeAccepted>;

export const RecoveryCodeUsed = defineEvent('RecoveryCodeUsed', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    recoveryCodeHash: Sha256Hex,
    codesLeft: z.int().nonnegative(),
    usedAt: Instant,
    /** Null: there were none since the last log-in, or this is no log-in. */
    reportedWrongCodes: ReportedWrongCodes,
  }),
});
export type RecoveryCodeUsed = EventOf<typeof RecoveryCodeUsed>;

export const RecoveryCodesReplaced = defineEvent('RecoveryCodesReplaced', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    recoveryCodeHashes: z.array(Sha256Hex),
    replacedAt: Instant,
  }),
});
export type RecoveryCodesReplaced = EventOf<typeof RecoveryCodesReplaced>;

export const TwoFactorDisabled = defineEvent('TwoFactorDisabled', {
  version: 1,
  schema: z.strictObject({ userId: UserId, disabledAt: Instant }),
});
export type TwoFactorDisabled = EventOf<typeof TwoFactorDisabled>;

/** No credential of the user is valid until the user is enabled again. */
export const UserDisabled = defineEvent('UserDisabled', {
  version: 1,
  schema: z.strictObject({ userId: UserId, disabledAt: Instant }),
});
export type UserDisabled = EventOf<typeof UserDisabled>;

export const UserEnabled = defineEvent('UserEnabled', {
  version: 1,
  schema: z.strictObject({ userId: UserId, enabledAt: Instant }),
});
export type UserEnabled = EventOf<typeof UserEnabled>;

export const UserRoleChanged = defineEvent('UserRoleChanged', {
  version: 1,
  schema: z.strictObject({ userId: UserId, role: Role, changedAt: Instant }),
});
export type UserRoleChanged = EventOf<typeof UserRoleChanged>;

/** Sessions and challenges from before it are invalid; keys of their own stay. */
export const PasswordChanged = defineEvent('PasswordChanged', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    /** Of the argon2id hash in PHC form. */
    sealedPasswordHash: Sealed,
    changedAt: Instant,
  }),
});
export type PasswordChanged = EventOf<typeof PasswordChanged>;

/** The secret sets another password, once and before the end. A later offer replaces it. */
export const PasswordResetOffered = defineEvent('PasswordResetOffered', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    secretHash: Sha256Hex,
    offeredAt: Instant,
    expiresAt: Instant,
  }),
});
export type PasswordResetOffered = EventOf<typeof PasswordResetOffered>;

/** All credentials of the user become invalid; the key of the sealed data is destroyed next. */
export const UserErased = defineEvent('UserErased', {
  version: 1,
  schema: z.strictObject({
    userId: UserId,
    usernameHash: NameHash,
    emailHash: NameHash,
    openidHash: NameHash.exactOptional(),
    /** `registration_abandoned`: another registration took the name before it was assigned. */
    reason: z.enum(['requested', 'registration_abandoned']),
    erasedAt: Instant,
  }),
});
export type UserErased = EventOf<typeof UserErased>;

export type UserEvent =
  | UserRegistered
  | TwoFactorEnrolmentStarted
  | TwoFactorEnabled
  | SecondFactorFailed
  | OneTimeCodeAccepted
  | RecoveryCodeUsed
  | RecoveryCodesReplaced
  | TwoFactorDisabled
  | UserDisabled
  | UserEnabled
  | UserRoleChanged
  | PasswordChanged
  | PasswordResetOffered
  | UserErased;

export const userEvents = [
  UserRegistered,
  TwoFactorEnrolmentStarted,
  TwoFactorEnabled,
  OneTimeCodeAccepted,
  RecoveryCodeUsed,
  RecoveryCodesReplaced,
  TwoFactorDisabled,
  UserDisabled,
  UserEnabled,
  UserRoleChanged,
  PasswordChanged,
  UserErased,
  SecondFactorFailed,
  PasswordResetOffered,
] as const;
