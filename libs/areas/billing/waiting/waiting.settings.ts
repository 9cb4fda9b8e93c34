import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const WAITING_SETTINGS = Symbol('WaitingSettings');

export interface WaitingSettings {
  /** How long a request waits for the holds of others to end; 0 for no wait. */
  readonly waitMsMax: number;
}

export const waitingSettings = defineSettings({
  token: WAITING_SETTINGS,
  variables: {
    QUIPU_FUNDS_WAIT_MS: variable(
      wholeNumber(0, 10_000).default(1_000),
      'how long a request waits when the balance covers it but for the holds of other requests; ' +
        '0 rejects it at once',
    ),
  },
  read: ({ QUIPU_FUNDS_WAIT_MS: waitMsMax }): WaitingSettings => ({ waitMsMax }),
});
