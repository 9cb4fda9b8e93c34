import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { accountIdOf } from '../authentication/caller.js';
import { demandScopesOfRole, INFERENCE_ONLY } from '../keys/key-policy.js';
import { KeyRing } from '../keys/key-ring.js';
import { checkNewUser, generatedPassword } from './user-details.js';
import { UserRegistration } from './user-registration.js';

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

/** A crash leaves a registered user without keys, whose names are taken. */
@CommandHandler(CreateUserCommand)
export class CreateUserHandler implements ICommandHandler<CreateUserCommand> {
  constructor(
    private readonly registration: UserRegistration,
    private readonly keys: KeyRing,
  ) {}

  async execute({ data, context }: CreateUserCommand): Promise<CreatedUser> {
    const { username, email, scopes = INFERENCE_ONLY, keyName = 'default' } = data;
    const password = data.password ?? generatedPassword();
    const role = checkNewUser({ ...data, password });
    demandScopesOfRole(scopes, role);
    const user = { username, email, role, password };
    const userId = await this.registration.register(user, context);
    const apiKey = await this.#issue(userId, 'user', keyName, scopes, context);
    const renterKey = await this.#issue(userId, 'renter', 'renter', INFERENCE_ONLY, context);
    const generated = data.password === null ? password : null;
    const keys = { apiKey, renterKey, generatedPassword: generated };
    return { userId, accountId: accountIdOf(userId), username, role, ...keys };
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
