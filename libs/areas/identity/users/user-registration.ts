import { Inject, Injectable } from '@nestjs/common';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type NameKind } from '#events/identity/name.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { AccountOpener } from '../accounts/account-opener.port.js';
import { accountIdOf } from '../authentication/caller.js';
import { reject } from '../identity.errors.js';
import { IdentityStreams, nameStream, userStream } from '../identity.streams.js';
import { NameIndex } from '../names/name-index.js';
import { Passwords } from '../passwords/passwords.js';
import { DEFAULT_TENANT } from '../tenants/tenant.decider.js';
import { PersonalData } from './personal-data.js';
import { UserIds } from './user-ids.js';

/** An unfinished registration reserves its names for this long. */
const RESERVATION_MS = 60_000;

export interface UserToRegister {
  readonly username: string;
  readonly email: string;
  readonly role: Role;
  readonly password: string;
  /** Of the subject of an OpenID provider that the user is. */
  readonly openidHash?: string;
}

export interface Name {
  readonly kind: NameKind;
  readonly nameHash: string;
}

interface HashedNames {
  readonly usernameHash: string;
  readonly emailHash: string;
  readonly openidHash?: string;
}

/**
 * Registers users with their accounts. Names are reserved first and assigned last, so two
 * registrations never share a name. A crash in between is harmless: the reservation expires, and a
 * user without a name cannot log in.
 */
@Injectable()
export class UserRegistration {
  constructor(
    private readonly streams: IdentityStreams,
    private readonly names: NameIndex,
    private readonly passwords: Passwords,
    private readonly personalData: PersonalData,
    private readonly userIds: UserIds,
    private readonly accounts: AccountOpener,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws DomainError `username_taken`, `email_taken`, `openid_taken` */
  async register(user: UserToRegister, context: CommandContext): Promise<UserId> {
    const { openidHash } = user;
    const hashes: HashedNames = {
      usernameHash: this.names.hashOf('username', user.username),
      emailHash: this.names.hashOf('email', user.email),
      ...(openidHash !== undefined && { openidHash }),
    };
    await this.#reserveAll(namesOf(hashes), context);
    const userId = await this.#register(user, hashes, context);
    await this.accounts.open(accountIdOf(userId), context);
    await this.#assignAll(userId, namesOf(hashes), context);
    return userId;
  }

  async #reserveAll(names: readonly Name[], context: CommandContext): Promise<void> {
    const reserved: Name[] = [];
    try {
      for (const name of names) {
        await this.#reserve(name, context);
        reserved.push(name);
      }
    } catch (error) {
      await this.#releaseAll(reserved, context);
      throw error;
    }
  }

  async #reserve({ kind, nameHash }: Name, context: CommandContext): Promise<void> {
    const reservedAt = instant(this.clock);
    const reservedUntil = new Date(this.clock.now() + RESERVATION_MS).toISOString();
    const registrationId = context.requestId;
    const data = { kind, nameHash, registrationId, reservedAt, reservedUntil };
    const stream = nameStream(kind, nameHash);
    const { state } = await this.streams.names.run(stream, { type: 'ReserveName', data }, context);
    // A repeat of a completed request: its keys cannot be shown again.
    if (state.status === 'assigned') reject('username_taken', 'the username is taken');
  }

  async #releaseAll(names: readonly Name[], context: CommandContext): Promise<void> {
    for (const { kind, nameHash } of names) {
      const registrationId = context.requestId;
      const data = { kind, nameHash, registrationId, releasedAt: instant(this.clock) };
      const stream = nameStream(kind, nameHash);
      await this.streams.names.run(stream, { type: 'ReleaseName', data }, context);
    }
  }

  /** Retries with the next id when a concurrent registration takes this one. */
  async #register(
    { username, email, role, password }: UserToRegister,
    hashes: HashedNames,
    context: CommandContext,
  ): Promise<UserId> {
    const passwordHash = await this.passwords.hash(password);
    for (;;) {
      const userId = await this.userIds.next();
      const data = {
        userId,
        registrationId: context.requestId,
        role,
        tenant: DEFAULT_TENANT,
        ...hashes,
        sealedUsername: await this.personalData.seal(userId, 'username', username),
        sealedEmail: await this.personalData.seal(userId, 'email', email),
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

  /** The name that the user signs in by is the last. */
  async #assignAll(userId: UserId, names: readonly Name[], context: CommandContext): Promise<void> {
    try {
      for (const { kind, nameHash } of names.toReversed()) {
        const registrationId = context.requestId;
        const data = { kind, nameHash, registrationId, userId, assignedAt: instant(this.clock) };
        const stream = nameStream(kind, nameHash);
        await this.streams.names.run(stream, { type: 'AssignName', data }, context);
      }
    } catch (error) {
      if (error instanceof DomainError) await this.#abandon(userId, names, context);
      throw error;
    }
  }

  /** The reservation expired before the assignment, and another registration took the name. */
  async #abandon(userId: UserId, names: readonly Name[], context: CommandContext): Promise<void> {
    const erasedAt = instant(this.clock);
    const data = { userId, reason: 'registration_abandoned', erasedAt } as const;
    await this.streams.users.run(userStream(userId), { type: 'EraseUser', data }, context);
    await this.personalData.erase(userId);
    await this.#releaseAll(names, context);
  }
}

/** In the order in which they are reserved. */
export const namesOf = ({ usernameHash, emailHash, openidHash }: HashedNames): readonly Name[] => [
  ...(openidHash === undefined ? [] : [{ kind: 'openid' as const, nameHash: openidHash }]),
  { kind: 'username', nameHash: usernameHash },
  { kind: 'email', nameHash: emailHash },
];
