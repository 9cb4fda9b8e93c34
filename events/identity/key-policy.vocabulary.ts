import { z } from 'zod';

/** A group of routes that a credential may use; each route names the one that it needs. */
export const Scope = z.enum([
  /** Models and all other work: chats, jobs, files, vaults, rentals. */
  'inference',
  /** Balances, charges, statements, budgets. */
  'read_billing',
  /** Keys, sessions, webhook endpoints. */
  'manage_keys',
  /** Budgets, deposits, payouts, the details of invoices. */
  'manage_money',
  /** The routes of operators, partners and investors; the role of the user is needed, too. */
  'operate',
]);
export type Scope = z.infer<typeof Scope>;

export const SCOPES: readonly Scope[] = Scope.options;

export const Scopes = z.array(Scope).max(Scope.options.length);

/** Entries of one list of a policy. */
export const POLICY_ENTRIES_MAX = 100;

/** A text, or the beginning of one with a `*` behind it. */
export const PATTERN = /^(?:[!-)+-~]{1,256}\*?|\*)$/;

/** An address and the number of its leading bits that count, such as `192.0.2.0/24`. */
export const IP_RANGE = /^[0-9a-f.:]{2,45}\/\d{1,3}$/;

const patterns = z.array(z.string().regex(PATTERN)).max(POLICY_ENTRIES_MAX);

/**
 * What a key may do. An absent list has no limit of its own, and an empty one admits nothing. The
 * limits of its spending and its pace are its budget.
 */
export const KeyPolicy = z.strictObject({
  scopes: Scopes,
  /** The models that it may ask, as a request names them. */
  models: patterns.exactOptional(),
  /** The addresses of routes as they are declared: `/v1/chat/completions`, `/v1/files*`. */
  routes: patterns.exactOptional(),
  ipRanges: z.array(z.string().regex(IP_RANGE)).max(POLICY_ENTRIES_MAX).exactOptional(),
});
export type KeyPolicy = Readonly<z.infer<typeof KeyPolicy>>;
