import { defineSettings, variable, wholeNumber } from '#platform/runtime/settings.js';

export interface StatementSettings {
  /** From the end of a month to the closing of its statements. */
  readonly closeAfterMs: number;
  /** How often open statements of past months are looked for. */
  readonly pollMs: number;
}

export const STATEMENT_SETTINGS = Symbol('StatementSettings');

const HOUR_MS = 3_600_000;
const POLL_MS = 600_000;

export const statementSettings = defineSettings({
  token: STATEMENT_SETTINGS,
  variables: {
    QUIPU_STATEMENT_CLOSE_HOURS: variable(
      wholeNumber(1, 240).default(24),
      'hours from the end of a month to the closing of its statements; later charges of the ' +
        'month are on the next one',
    ),
  },
  read: ({ QUIPU_STATEMENT_CLOSE_HOURS: hours }): StatementSettings => ({
    closeAfterMs: hours * HOUR_MS,
    pollMs: POLL_MS,
  }),
});
