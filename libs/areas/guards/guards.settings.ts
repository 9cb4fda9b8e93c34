import path from 'node:path';
import { z } from 'zod';
import { defineSettings, variable } from '#platform/runtime/areas/settings.js';
import { type GuardRule } from './rules/guard-rule.js';
import { GuardRulesError, readGuardRules } from './rules/guard-rules.file.js';

/** Of this installation. */
export const GUARD_RULES = Symbol('GuardRules');

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

export const guardSettings = defineSettings({
  token: GUARD_RULES,
  variables: {
    QUIPU_GUARDS: variable(
      Rules,
      'a file of YAML with the rules that read the texts of chats and their answers; it is read ' +
        'at start',
    ),
  },
  read: ({ QUIPU_GUARDS: rules }): readonly GuardRule[] => rules ?? [],
});
