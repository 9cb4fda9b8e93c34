import { type Role } from '#events/identity/identity.vocabulary.js';
import { type KeyPolicy, type Scope, SCOPES } from '#events/identity/key-policy.vocabulary.js';
import {
  addressOf,
  hasAddress,
  hasRange,
  type IpRange,
  ipRangeOf,
} from '#platform/kernel/ip-range.js';
import { reject } from '../identity.errors.js';

/** A key that is issued without scopes, and every renter key. */
export const INFERENCE_ONLY: readonly Scope[] = ['inference'];

/** A session that asks for no scopes, and its key. */
export const SESSION_SCOPES: readonly Scope[] = ['inference', 'read_billing'];

/** A week: how long a key stays valid at most after it was rotated. */
export const OVERLAP_SECONDS_MAX = 604_800;

const LISTS = ['models', 'routes', 'ipRanges'] as const satisfies readonly (keyof KeyPolicy)[];
type List = (typeof LISTS)[number];

/** A change of a policy; an absent field stays as it is. */
export type PolicyChange = Partial<KeyPolicy>;

/** The scopes that a role can use: a renter has no route of operators. */
export const scopesOfRole = (role: Role): readonly Scope[] =>
  role === 'renter' ? SCOPES.filter((scope) => scope !== 'operate') : SCOPES;

/** @throws DomainError `scope_not_allowed` */
export const demandScopesOfRole = (scopes: readonly Scope[], role: Role): void => {
  const missing = scopes.find((scope) => !scopesOfRole(role).includes(scope));
  if (missing === undefined) return;
  reject('scope_not_allowed', `scopes: the role ${role} cannot have ${missing}`);
};

/** The scopes that a client asks for. The console gets all that the role of its user can use. */
export type AskedScopes = readonly Scope[] | 'console';

/** @throws DomainError `scope_not_allowed` */
export const grantedScopes = (asked: AskedScopes, role: Role): readonly Scope[] => {
  if (asked === 'console') return scopesOfRole(role);
  demandScopesOfRole(asked, role);
  return asked;
};

/** Each scope once, in one order. */
export const orderedScopes = (scopes: readonly Scope[]): Scope[] =>
  SCOPES.filter((scope) => scopes.includes(scope));

export const ordered = ({ scopes, ...lists }: PolicyChange): PolicyChange => ({
  ...lists,
  ...(scopes && { scopes: orderedScopes(scopes) }),
});

/** The policy for a key that is issued: what is not asked for is taken from the issuer. */
export const inheritedPolicy = (
  { scopes = [...INFERENCE_ONLY], ...asked }: PolicyChange,
  { scopes: _, ...issuer }: KeyPolicy,
): KeyPolicy => ({ ...issuer, ...asked, scopes: [...scopes] });

/** A field of a policy that admits more than it should, and the entry that does. */
interface Excess {
  readonly field: 'scopes' | List;
  readonly entry: string;
}

/** The first field of `inner` that admits more than the same field of `outer`; null: none. */
const excessOf = (inner: KeyPolicy, outer: KeyPolicy): Excess | null => {
  const scope = inner.scopes.find((one) => !outer.scopes.includes(one));
  if (scope !== undefined) return { field: 'scopes', entry: scope };
  for (const field of LISTS) {
    const [entries, bounds] = [inner[field], outer[field]];
    if (bounds === undefined) continue;
    if (entries === undefined) return { field, entry: 'everything' };
    const covers = field === 'ipRanges' ? rangeCovers : patternCovers;
    const entry = entries.find((one) => !bounds.some((bound) => covers(bound, one)));
    if (entry !== undefined) return { field, entry };
  }
  return null;
};

/** Whether each admits what the other does. */
export const isSamePolicy = (one: KeyPolicy, other: KeyPolicy): boolean =>
  excessOf(one, other) === null && excessOf(other, one) === null;

/** @throws DomainError `policy_too_wide` where `inner` admits more than `outer` */
export const demandWithin = (inner: KeyPolicy, outer: KeyPolicy): void => {
  const excess = excessOf(inner, outer);
  if (!excess) return;
  const name = NAMES[excess.field];
  const detail = `${name}: ${excess.entry} is more than this policy allows`;
  reject('policy_too_wide', detail, { field: name });
};

const NAMES: Readonly<Record<Excess['field'], string>> = {
  scopes: 'scopes',
  models: 'models',
  routes: 'routes',
  ipRanges: 'ip_ranges',
};

/** @throws DomainError `policy_too_wide` for an end after the bound; null is no end */
export const demandNoLater = (end: string | null, bound: string | null): void => {
  if (bound === null || (end !== null && end <= bound)) return;
  const detail = `expires_at: ${end ?? 'no end'} is later than ${bound}`;
  reject('policy_too_wide', detail, { field: 'expires_at' });
};

const matches = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text;

/** Whether every text that the entry matches is matched by the bound, too. */
const patternCovers = (bound: string, entry: string): boolean =>
  bound === entry || (bound.endsWith('*') && entry.startsWith(bound.slice(0, -1)));

const rangeCovers = (bound: string, entry: string): boolean => {
  const [outer, inner] = [ipRangeOf(bound), ipRangeOf(entry)];
  return outer !== null && inner !== null && hasRange(outer, inner);
};

/** @throws DomainError `invalid_ip_range` */
export const demandRanges = (ranges: readonly string[] = []): void => {
  const wrong = ranges.find((range) => ipRangeOf(range) === null);
  if (wrong === undefined) return;
  reject('invalid_ip_range', `ip_ranges: expected such as 192.0.2.0/24, received ${wrong}`);
};

/** The lists of one policy, as requests are checked against them. */
export class PolicyLists {
  readonly #ranges: readonly IpRange[] | undefined;

  private constructor(private readonly policy: KeyPolicy) {
    this.#ranges = policy.ipRanges?.flatMap((range) => ipRangeOf(range) ?? []);
  }

  /** Undefined for a policy without lists, which most keys have. */
  static of(policy: KeyPolicy): PolicyLists | undefined {
    return LISTS.some((list) => policy[list] !== undefined) ? new PolicyLists(policy) : undefined;
  }

  get limitsModels(): boolean {
    return this.policy.models !== undefined;
  }

  allowsModel(name: string): boolean {
    return this.policy.models?.some((pattern) => matches(pattern, name)) ?? true;
  }

  /** @param address as it is declared, such as `/v1/models/:id` */
  allowsRoute(address: string): boolean {
    return this.policy.routes?.some((pattern) => matches(pattern, address)) ?? true;
  }

  allowsAddress(ip: string): boolean {
    const address = addressOf(ip);
    if (!this.#ranges) return true;
    return address !== null && this.#ranges.some((range) => hasAddress(range, address));
  }
}
