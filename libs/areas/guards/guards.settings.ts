import path from 'node:path';
import { z } from 'zod';
import { defineSettings, SettingsError, variable } from '#platform/runtime/areas/settings.js';
import { type GuardRule, isWebhook } from './rules/guard-rule.js';
import { GuardRulesError, readGuardRules } from './rules/guard-rules.file.js';

export interface GuardSettings {
  /** Of this installation. */
  readonly rules: readonly GuardRule[];
  /** Signs the messages to webhooks; null where no rule has one. */
  readonly secret: string | null;
}

export const GUARD_SETTINGS = Symbol('GuardSettings');

const Rules = z
  .string()
  .transform((file, context): readonly GuardRule[] => {
    try {
      return readGuardRules(path.resolve(file));
    } catch (error) {
      if (!(error instanceof GuardRulesError)) throw error;
      context.addIssue({ code: 'custom', message: `${file}: ${error.message}` });
      return z.NEVER;
    }
  })
  .optional();

const Secret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, 'expected whsec_ and 24 to 64 bytes in base64')
  .optional();

export const guardSettings = defineSettings({
  token: GUARD_SETTINGS,
  variables: {
    QUIPU_GUARDS: variable(
      Rules,
      'a file of YAML with the rules that read the texts of chats and their answers; it is read ' +
        'at start',
    ),
    QUIPU_GUARDS_SECRET: variable(
      Secret,
      'signs the messages to the webhooks of these rules: `whsec_` and base64',
    ),
  },
  read: ({ QUIPU_GUARDS: rules = [], QUIPU_GUARDS_SECRET: secret = null }): GuardSettings => {
    const webhook = rules.find(isWebhook);
    if (!webhook || secret !== null) return { rules, secret };
    throw new SettingsError(
      `bad settings\n  QUIPU_GUARDS_SECRET: expected a secret for the rule ${webhook.id}`,
    );
  },
});
