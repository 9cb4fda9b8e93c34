import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface ResponseSettings {
  /** How long a response is kept. */
  readonly retentionMs: number;
}

export const RESPONSE_SETTINGS = Symbol('ResponseSettings');

const DAY_MS = 86_400_000;

export const responseSettings = defineSettings({
  token: RESPONSE_SETTINGS,
  variables: {
    QUIPU_RESPONSE_DAYS: variable(
      wholeNumber(1, 3_650).default(30),
      'how long a stored response of /v1/responses is kept, in days',
    ),
  },
  read: ({ QUIPU_RESPONSE_DAYS: days }): ResponseSettings => ({ retentionMs: days * DAY_MS }),
});
