import { type GuardedWork } from '#platform/chats/chat-guards.port.js';
import { type ScannedRule } from '../scanning/text-scanner.js';

export const DETECTED = ['email', 'phone', 'iban', 'card', 'secret'] as const;
export const ACTIONS = ['block', 'redact', 'flag'] as const;
export type Action = (typeof ACTIONS)[number];
export const DIRECTIONS = ['request', 'answer'] as const;
export type Direction = (typeof DIRECTIONS)[number];

interface RuleTerms {
  readonly id: string;
  readonly does: Action;
  readonly on: readonly Direction[];
  /** Whether a chat is served whose texts the rule cannot read. */
  readonly failsOpen: boolean;
  /** Absent: of all models. */
  readonly models?: ReadonlySet<string>;
  /** Absent: of all accounts. */
  readonly accounts?: ReadonlySet<string>;
}

/** A rule whose matches are found here. */
export interface DetectingRule extends RuleTerms, ScannedRule {}

/** A rule whose matches a service of the operator finds. */
export interface WebhookRule extends RuleTerms {
  readonly webhook: {
    readonly url: string;
    readonly allowsPrivate: boolean;
    readonly timeoutMs: number;
    /** UTF-16 units of a stream that it sees twice: the longest match that it is sure to find. */
    readonly windowUnits: number;
  };
}

/** A rule of the operator. */
export type GuardRule = DetectingRule | WebhookRule;

export const isDetecting = (rule: GuardRule): rule is DetectingRule => 'detector' in rule;
export const isWebhook = (rule: GuardRule): rule is WebhookRule => 'webhook' in rule;

/** Whether a rule is for a chat. */
export const isFor = (
  { models, accounts }: Pick<GuardRule, 'models' | 'accounts'>,
  { model, accountId }: Pick<GuardedWork, 'model' | 'accountId'>,
): boolean => (models?.has(model) ?? true) && (accounts?.has(accountId) ?? true);
