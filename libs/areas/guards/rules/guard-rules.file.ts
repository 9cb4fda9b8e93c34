import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { GUARD_RULES_MAX, GuardRuleId } from '#events/guards/guard.events.js';
import { messageOf } from '#platform/kernel/faults.js';
import { faultsOf } from '#platform/runtime/commands/rejected-request.js';
import { cardDetector } from '../detectors/card.detector.js';
import { type Detector } from '../detectors/detector.js';
import { emailDetector } from '../detectors/email.detector.js';
import { ibanDetector } from '../detectors/iban.detector.js';
import { patternDetector, PatternError } from '../detectors/pattern.detector.js';
import { phoneDetector } from '../detectors/phone.detector.js';
import { secretDetector } from '../detectors/secret.detector.js';
import {
  ACTIONS,
  DETECTED,
  type DetectingRule,
  DIRECTIONS,
  type GuardRule,
  type WebhookRule,
} from './guard-rule.js';
import { faultOfUrl } from './webhook-url.js';

const BYTES_MAX = 262_144;
/** Models, and accounts, of one rule. */
const NAMES_MAX = 1_000;

/** The file of the rules cannot be used; the message names the fields. */
export class GuardRulesError extends Error {
  override readonly name = 'GuardRulesError';
}

const DETECTORS: Readonly<Record<(typeof DETECTED)[number], Detector>> = {
  email: emailDetector,
  phone: phoneDetector,
  iban: ibanDetector,
  card: cardDetector,
  secret: secretDetector,
};

const Pattern = z.string().transform((pattern, context): Detector => {
  try {
    return patternDetector(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
    return z.NEVER;
  }
});

/** Accounts are numbers; YAML reads them as such. */
const AccountName = z.union([z.string().min(1).max(128), z.int().nonnegative()]).transform(String);

const Fields = z.strictObject({
  id: GuardRuleId,
  on: z.enum([...DIRECTIONS, 'both']),
  do: z.enum(ACTIONS),
  fails: z.enum(['closed', 'open']).default('closed'),
  models: z.array(z.string().min(1).max(256)).min(1).max(NAMES_MAX).optional(),
  accounts: z.array(AccountName).min(1).max(NAMES_MAX).optional(),
});

const Rule = z.discriminatedUnion('what', [
  Fields.extend({ what: z.enum(DETECTED) }),
  Fields.extend({ what: z.literal('pattern'), pattern: Pattern }),
  Fields.extend({
    what: z.literal('webhook'),
    url: z.string().max(2_048),
    allow_private: z.boolean().default(false),
    timeout_ms: z.int().min(100).max(30_000).default(2_000),
    window: z.int().min(64).max(8_192).default(512),
  }).superRefine(({ url, allow_private: allowsPrivate }, context) => {
    const message = faultOfUrl(url, allowsPrivate);
    if (message !== null) context.addIssue({ code: 'custom', path: ['url'], message });
  }),
]);
type Rule = z.infer<typeof Rule>;

const File = z
  .strictObject({ rules: z.array(Rule).max(GUARD_RULES_MAX) })
  .superRefine(({ rules }, context) => {
    const ids = new Set<string>();
    for (const [n, { id }] of rules.entries()) {
      const message = `expected an id of its own, received ${id} again`;
      if (ids.has(id)) context.addIssue({ code: 'custom', path: ['rules', n, 'id'], message });
      ids.add(id);
    }
  });

const finderOf = (rule: Rule): Pick<DetectingRule, 'detector'> | Pick<WebhookRule, 'webhook'> => {
  if (rule.what === 'pattern') return { detector: rule.pattern };
  if (rule.what !== 'webhook') return { detector: DETECTORS[rule.what] };
  const { url, allow_private: allowsPrivate, timeout_ms: timeoutMs, window } = rule;
  return { webhook: { url, allowsPrivate, timeoutMs, windowUnits: window } };
};

const ruleOf = (rule: Rule): GuardRule => ({
  id: rule.id,
  ...finderOf(rule),
  does: rule.do,
  on: rule.on === 'both' ? DIRECTIONS : [rule.on],
  failsOpen: rule.fails === 'open',
  ...(rule.models && { models: new Set(rule.models) }),
  ...(rule.accounts && { accounts: new Set(rule.accounts) }),
});

/**
 * The rules in a text of YAML.
 * @throws GuardRulesError
 */
export const parseGuardRules = (text: string): readonly GuardRule[] => {
  const file = File.safeParse(parsed(text));
  if (file.success) return file.data.rules.map(ruleOf);
  const faults = file.error.issues.flatMap(faultsOf);
  throw new GuardRulesError(messageOf(faults.map(({ param, why }) => `${param}: ${why}`)));
};

const parsed = (text: string): unknown => {
  if (Buffer.byteLength(text) > BYTES_MAX) {
    throw new GuardRulesError(`expected at most ${BYTES_MAX} bytes`);
  }
  try {
    return parse(text, { maxAliasCount: 0 }) as unknown;
  } catch (error) {
    throw new GuardRulesError(error instanceof Error ? error.message : String(error));
  }
};

/** @throws GuardRulesError */
export const readGuardRules = (file: string): readonly GuardRule[] => {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new GuardRulesError(`cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
  return parseGuardRules(text);
};
