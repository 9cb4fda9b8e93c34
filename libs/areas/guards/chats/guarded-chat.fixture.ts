import { type GuardedTexts } from '#events/guards/guard.events.js';
import { parseGuardRules } from '../rules/guard-rules.file.js';
import { type GuardWebhooks } from '../webhooks/guard-webhooks.js';
import { GuardedChat } from './guarded-chat.js';

export interface GuardWorld {
  /** Receives the hits. */
  readonly recorded: Omit<GuardedTexts, 'readAt'>[];
  readonly verdictOf: GuardWebhooks['verdictOf'];
}

/** The guard of a chat of account 7, with the rules of a file. */
export const guardWith = (
  lines: readonly string[],
  { recorded, verdictOf }: GuardWorld,
): GuardedChat => {
  const rules = parseGuardRules(['rules:', ...lines.map((line) => `  - { ${line} }`)].join('\n'));
  const work = { accountId: '7', model: 'acme/m', requestId: null };
  const hits = { record: (texts: Omit<GuardedTexts, 'readAt'>) => void recorded.push(texts) };
  return new GuardedChat(rules, work, { hits, webhooks: { verdictOf } });
};
