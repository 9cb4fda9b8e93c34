import { type GuardedWork } from '#platform/chats/chat-guards.port.js';
import { type ScannedRule } from '../scanning/text-scanner.js';

export const DETECTED = ['email', 'phone', 'iban', 'card', 'secret'] as const;
export const ACTIONS = ['block', 'redact', 'flag'] as const;
export type Action = (typeof ACTIONS)[number];
export const DIRECTIONS = ['request', 'answer'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A rule of the operator. */
export interface GuardRule extends ScannedRule {
  readonly on: readonly Direction[];
  /** Whether a chat is served whose texts the rule cannot read. */
  readonly failsOpen: boolean;
  /** Absent: of all models. */
  readonly models?: ReadonlySet<string>;
  /** Absent: of all accounts. */
  readonly accounts?: ReadonlySet<string>;
}

/** Whether a rule is for a chat. */
export const isFor = (
  { models, accounts }: Pick<GuardRule, 'models' | 'accounts'>,
  { model, accountId }: Pick<GuardedWork, 'model' | 'accountId'>,
): boolean => (models?.has(model) ?? true) && (accounts?.has(accountId) ?? true);
