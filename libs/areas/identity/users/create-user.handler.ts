import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type NameKind } from '#events/identity/name.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AccountOpener } from '../accounts/account-opener.port.js';
import { accountIdOf } from '../authentication/caller.js';
import { IdentityStreams, nameStream, userStream } from '../identity.streams.js';
import { demandScopesOfRole, INFERENCE_ONLY } from '../keys/key-policy.js';
import { KeyRing } from '../keys/key-ring.js';
import { NameIndex } from '../names/name-index.js';
import { Passwords } from '../passwords/passwords.js';
import { PersonalData } from './personal-data.js';
import { reject } from '../identity.errors.js';
import { DEFAULT_TENANT } from '../tenants/tenant.decider.js';
import { checkNewUser, generatedPassword } from './user-details.js';
import { UserIds } from './user-ids.js';

/** An unfinished registration reserves its names for this long. */
const RESERVATION_MS = 60_000;

export interface CreatedUser {
  readonly userId: UserId;
  readonly accountId: string;
  readonly username: string;
  readonly role: Role;
  /** `sk-svc-…`; shown once. */
  readonly apiKey: string;
  /** `svc_api_…`; shown once. */
  readonly renterKey: string;
  /** The generated password, or null if the caller gave one. */
  readonly generatedPassword: string | null;
}

/** Registers a user with an account and two keys. */
export class CreateUserCommand extends Command<CreatedUser> {
  constructor(
    readonly data: {
      readonly username: string;
      readonly email: string;
      readonly role: string;
      /** Null: generate one. */
      readonly password: string | null;
      /** Of the API key; default: inference only. */
      readonly scopes?: readonly Scope[];
      /** Of the API key; default: `default`. */
      readonly keyName?: string;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

interface Registration {
  readonly username: string;
  readonly email: string;
  readonly role: Role;
  readonly password: string;
  readonly usernameHash: string;
  readonly emailHash: string;
}

/**
 * Names are reserved first and assigned last, so two registrations never share a name. A crash in
 * between is harmless: the reservation expires, and a user without a name cannot log in.
 */
@CommandHandler(CreateUserCommand)
export class CreateUserHandler implements ICommandHandler<CreateUserCommand> {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly names: NameIndex,
    private readonly passwords: Passwords,
    private readonly personalData: PersonalData,
    private readonly userIds: UserIds,
    private readonly keys: KeyRing,
    private readonly accounts: AccountOpener,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: CreateUserCommand): Promise<CreatedUser> {
    const { username, email, scopes = INFERENCE_ONLY, keyName = 'default' } = data;
    const password = data.password ?? generatedPassword();
    const role = checkNewUser({ ...data, password });
    demandScopesOfRole(scopes, role);
    const usernameHash = this.names.hashOf('username', username);
    const emailHash = this.names.hashOf('email', email);
    const registration = { username, email, role, password, usernameHash, emailHash };
    await this.#reserveNames(registration, context);
    const userId = await this.#register(registration, context);
    const accountId = accountIdOf(userId);
    await this.accounts.open(accountId, context);
    await this.#assignNames(registration, userId, context);
    const apiKey = await this.#issue(userId, 'user', keyName, scopes, context);
    const renterKey = await this.#issue(userId, 'renter', 'renter', INFERENCE_ONLY, context);
    const generated = data.password === null ? password : null;
    const keys = { apiKey, renterKey, generatedPassword: generated };
    return { userId, accountId, username, role, ...keys };
  }

  async #reserveNames(
    { usernameHash, emailHash }: Registration,
    context: CommandContext,
  ): Promise<void> {
    await this.#reserve('username', usernameHash, context);
    try {
      await this.#reserve('email', emailHash, context);
    } catch (error) {
      await this.#release('username', usernameHash, context);
      throw error;
    }
  }

  async #reserve(kind: NameKind, nameHash: string, context: CommandContext): Promise<void> {
    const reservedAt = instant(this.clock);
    const reservedUntil = new Date(this.clock.now() + RESERVATION_MS).toISOString();
    const registrationId = context.requestId;
    const data = { kind, nameHash, registrationId, reservedAt, reservedUntil };
    const stream = nameStream(kind, nameHash);
    const { state } = await this.streams.names.run(stream, { type: 'ReserveName', data }, context);
    // A repeat of a completed request: its keys cannot be shown again.
    if (state.status === 'assigned') reject('username_taken', 'the username is taken');
  }

  async #release(kind: NameKind, nameHash: string, context: CommandContext): Promise<void> {
    const registrationId = context.requestId;
    const data = { kind, nameHash, registrationId, releasedAt: instant(this.clock) };
    const stream = nameStream(kind, nameHash);
    await this.streams.names.run(stream, { type: 'ReleaseName', data }, context);
  }

  /** Retries with the next id when a concurrent registration takes this one. */
  async #register(registration: Registration, context: CommandContext): Promise<UserId> {
    const passwordHash = await this.passwords.hash(registration.password);
    for (;;) {
      const userId = await this.userIds.next();
      const data = {
        userId,
        registrationId: context.requestId,
        role: registration.role,
        tenant: DEFAULT_TENANT,
        usernameHash: registration.usernameHash,
        emailHash: registration.emailHash,
        sealedUsername: await this.personalData.seal(userId, 'username', registration.username),
        sealedEmail: await this.personalData.seal(userId, 'email', registration.email),
        sealedPasswordHash: await this.personalData.seal(userId, 'password-hash', passwordHash),
        theme: 'system' as const,
        language: 'en',
        registeredAt: instant(this.clock),
      };
      try {
        await this.streams.users.run(userStream(userId), { type: 'RegisterUser', data }, context);
        return userId;
      } catch (error) {
        if (!(error instanceof DomainError && error.code === 'user_id_taken')) throw error;
      }
    }
  }

  async #assignNames(
    { usernameHash, emailHash }: Registration,
    userId: UserId,
    context: CommandContext,
  ): Promise<void> {
    try {
      await this.#assign('email', emailHash, userId, context);
      await this.#assign('username', usernameHash, userId, context);
    } catch (error) {
      if (error instanceof DomainError) await this.#abandon(userId, emailHash, context);
      throw error;
    }
  }

  async #assign(
    kind: NameKind,
    nameHash: string,
    userId: UserId,
    context: CommandContext,
  ): Promise<void> {
    const registrationId = context.requestId;
    const data = { kind, nameHash, registrationId, userId, assignedAt: instant(this.clock) };
    const stream = nameStream(kind, nameHash);
    await this.streams.names.run(stream, { type: 'AssignName', data }, context);
  }

  /** The reservation expired before the assignment, and another registration took the name. */
  async #abandon(userId: UserId, emailHash: string, context: CommandContext): Promise<void> {
    const erasedAt = instant(this.clock);
    const data = { userId, reason: 'registration_abandoned', erasedAt } as const;
    await this.streams.users.run(userStream(userId), { type: 'EraseUser', data }, context);
    await this.personalData.erase(userId);
    await this.#release('email', emailHash, context);
  }

  async #issue(
    userId: UserId,
    keyKind: 'user' | 'renter',
    name: string,
    scopes: readonly Scope[],
    context: CommandContext,
  ): Promise<string> {
    const policy = { scopes: [...scopes] };
    const key = { userId, keyKind, name, policy, sessionId: null, expiresAt: null, replaces: null };
    return (await this.keys.issue(key, context)).secret;
  }
}
