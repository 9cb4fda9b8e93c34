import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Scope } from '#events/identity/key-policy.vocabulary.js';
import { type Membership } from '#events/teams/team.vocabulary.js';
import { type UserId } from '#events/vocabulary.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { keyIdOf } from '../authentication/credentials.js';
import { ApiKeyList } from './api-key-list.js';
import { KeyBounds, type KeyIssuer } from './key-bounds.js';
import { KeyBudgets } from './key-budgets.port.js';
import {
  demandNoLater,
  demandRanges,
  demandWithin,
  INFERENCE_ONLY,
  inheritedPolicy,
  ordered,
  type PolicyChange,
} from './key-policy.js';
import { KeyRing, type KeyToIssue } from './key-ring.js';
import { type ApiKeyView, keptFor } from './list-api-keys.handler.js';
import { reject } from '../identity.errors.js';
import { TeamMemberships } from './team-memberships.js';
import { scopesOfTeamRole } from './team-scopes.js';

/** Active keys of a user for its own account, and for each team; without keys of sessions. */
export const API_KEYS_MAX = 100;

export interface NewApiKey extends ApiKeyView {
  /** Shown once. */
  readonly secret: string;
}

/**
 * Gives a user one more key: one for each request, however often it is attempted. It can do nothing
 * that its issuer cannot. A key with a budget issues none: the new one would have no limit.
 */
export class IssueApiKeyCommand extends Command<NewApiKey> {
  constructor(
    readonly data: Pick<KeyToIssue, 'userId' | 'keyKind' | 'name' | 'cacheSeconds'> & {
      /** Default: inference only, with the lists of the issuer. */
      readonly policy?: PolicyChange;
      /** ISO 8601 UTC. Default: as the issuer. */
      readonly expiresAt?: string;
      readonly issuer: KeyIssuer;
      /** Of the user, whose role bounds the key. Absent: a key of the user's own account. */
      readonly membership?: Membership;
      /** The session with which it ends; null: none. */
      readonly sessionId?: string | null;
    },
    readonly context: CommandContext,
  ) {
    super();
  }
}

type DataToIssue = IssueApiKeyCommand['data'];

@CommandHandler(IssueApiKeyCommand)
export class IssueApiKeyHandler implements ICommandHandler<IssueApiKeyCommand> {
  constructor(
    private readonly list: ApiKeyList,
    private readonly keys: KeyRing,
    private readonly budgets: KeyBudgets,
    private readonly bounds: KeyBounds,
    private readonly memberships: TeamMemberships,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ data, context }: IssueApiKeyCommand): Promise<NewApiKey> {
    const { userId, keyKind: kind, name, cacheSeconds, membership, sessionId = null } = data;
    await demandUnlimited(this.budgets, userId, context.key);
    const repeated = await this.keys.issuedFor(context);
    const { policy, expiresAt } = repeated
      ? { policy: repeated.policy, expiresAt: repeated.expiresAt }
      : await this.#termsOf(data);
    if (!repeated) await this.#rejectTooMany(data);
    const own = { userId, keyKind: kind, name, policy, expiresAt, ...keptFor(cacheSeconds) };
    const key = { ...own, sessionId, replaces: null, ...(membership && { membership }) };
    const { secret, keyHash, issuedAt } = repeated ?? (await this.keys.issueOnce(key, context));
    const view = { id: keyIdOf(keyHash), kind, name, issuedAt, secret, ...keptFor(cacheSeconds) };
    return { ...view, policy, sessionId, expiresAt };
  }

  /** @throws DomainError `policy_too_wide`, `invalid_ip_range`, `expiry_past` */
  async #termsOf({ userId, keyKind, issuer, policy: asked = {}, ...data }: DataToIssue) {
    demandRanges(asked.ipRanges);
    const bound = await this.bounds.of(issuer, userId);
    const ofRole = data.membership && (await this.#scopesOf(data.membership, userId));
    const usual = ofRole?.filter((scope) => bound.policy.scopes.includes(scope));
    const wanted = { ...(usual && { scopes: [...usual] }), ...ordered(asked) };
    const policy = inheritedPolicy(wanted, bound.policy);
    demandWithin(policy, bound.policy);
    if (ofRole) demandWithin({ scopes: policy.scopes }, { scopes: [...ofRole] });
    if (keyKind === 'renter') demandWithin(policy, { scopes: [...INFERENCE_ONLY] });
    const expiresAt = data.expiresAt ?? bound.endsAt;
    demandNoLater(expiresAt, bound.endsAt);
    if (expiresAt !== null && expiresAt <= instant(this.clock)) {
      reject('expiry_past', 'expires_at: expected a later instant than now');
    }
    return { policy, expiresAt };
  }

  /** @throws DomainError `membership_ended` */
  async #scopesOf(membership: Membership, userId: UserId): Promise<readonly Scope[]> {
    const member = await this.memberships.find(membership);
    if (member?.userId === userId) return scopesOfTeamRole(member.role);
    return reject('membership_ended', 'the user is no member of the team');
  }

  async #rejectTooMany({ userId, membership }: DataToIssue): Promise<void> {
    const { keys } = await this.list.activeOf(membership?.teamId ?? userId);
    const own = keys.filter((key) => key.sessionId === null && key.userId === userId);
    if (own.length < API_KEYS_MAX) return;
    reject('too_many_api_keys', `at most ${API_KEYS_MAX} keys: revoke one first`);
  }
}

/** @param line under which the key that asks counts */
export const demandUnlimited = async (
  budgets: KeyBudgets,
  userId: UserId,
  line: string | undefined,
): Promise<void> => {
  if (line === undefined || !(await budgets.limits(userId, line))) return;
  reject('api_key_limited', 'a key with a budget issues no other key; sign in, or use another key');
};
