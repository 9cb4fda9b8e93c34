import { Injectable } from '@nestjs/common';
import { type Grant } from '#events/identity/group-rule.events.js';
import { type Role } from '#events/identity/identity.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { groupRulesStream, IdentityStreams, nameStream } from '../identity.streams.js';
import { NameIndex } from '../names/name-index.js';
import { DEFAULT_TENANT } from '../tenants/tenant.decider.js';
import { generatedPassword, USERNAME_PATTERN } from '../users/user-details.js';
import { UserRegistration } from '../users/user-registration.js';
import { grantOf } from './group-rules.js';
import { type ProviderIdentity } from './provider-identity.js';

/** Of the hash of a subject, in a name that is derived from it. */
const HASH_LENGTH = 16;
const NAME_LENGTH_MAX = 64;
/** No mail reaches this domain (RFC 2606). */
const PLACEHOLDER_DOMAIN = 'openid.invalid';

/**
 * The users behind the subjects of the provider. A subject is found by issuer and subject alone:
 * never by a name or an e-mail address, which another user may have or take.
 */
@Injectable()
export class ProviderSubjects {
  /** Running registrations, by the hash of their subject. */
  readonly #registering = new Map<string, Promise<UserId>>();

  constructor(
    private readonly streams: IdentityStreams,
    private readonly names: NameIndex,
    private readonly registration: UserRegistration,
  ) {}

  hashOf({ issuer, subject }: ProviderIdentity): string {
    return this.names.hashOfSubject(issuer, subject);
  }

  /** Null for a subject that is no user yet. */
  async userOf(identity: ProviderIdentity): Promise<UserId | null> {
    const stream = nameStream('openid', this.hashOf(identity));
    const { state } = await this.streams.names.stateOf(stream);
    return state.status === 'assigned' ? state.userId : null;
  }

  /** Of the rules that match the groups of the identity now; null: none matches. */
  async grantOf(identity: ProviderIdentity): Promise<Grant | null> {
    const { state: rules } = await this.streams.groupRules.stateOf(
      groupRulesStream(DEFAULT_TENANT),
    );
    return grantOf(rules, identity);
  }

  /** @throws DomainError `openid_taken` while another process registers the subject */
  register(identity: ProviderIdentity, role: Role, context: CommandContext): Promise<UserId> {
    const openidHash = this.hashOf(identity);
    const running = this.#registering.get(openidHash);
    if (running) return running;
    const registering = this.#register(identity, openidHash, role, context).finally(() => {
      this.#registering.delete(openidHash);
    });
    this.#registering.set(openidHash, registering);
    return registering;
  }

  /** The user has no key, and a password that is not known to anyone. */
  async #register(
    { preferredName, verifiedEmail }: ProviderIdentity,
    openidHash: string,
    role: Role,
    context: CommandContext,
  ): Promise<UserId> {
    const suffix = openidHash.slice(0, HASH_LENGTH);
    const wanted = USERNAME_PATTERN.test(preferredName ?? '') ? preferredName : null;
    const base = (wanted ?? 'openid').slice(0, NAME_LENGTH_MAX - HASH_LENGTH - 1);
    const derived = `${base}-${suffix}`;
    const username = wanted !== null && (await this.#isFree('username', wanted)) ? wanted : derived;
    const hasEmail = verifiedEmail !== null && (await this.#isFree('email', verifiedEmail));
    const email = hasEmail ? verifiedEmail : `${suffix}@${PLACEHOLDER_DOMAIN}`;
    const user = { username, email, role, password: generatedPassword(), openidHash };
    return this.registration.register(user, context);
  }

  async #isFree(kind: 'username' | 'email', name: string): Promise<boolean> {
    const stream = nameStream(kind, this.names.hashOf(kind, name));
    const { state } = await this.streams.names.stateOf(stream);
    return state.status === 'free';
  }
}
