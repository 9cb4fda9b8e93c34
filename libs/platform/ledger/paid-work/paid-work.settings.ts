import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const PAID_WORK_SETTINGS = Symbol('PaidWorkSettings');

export interface PaidWorkSettings {
  /** How long a hold outlives the time limit of its request. */
  readonly settleMsMax: number;
}

export const paidWorkSettings = defineSettings({
  token: PAID_WORK_SETTINGS,
  variables: {
    QUIPU_SETTLE_SECONDS: variable(
      wholeNumber(1, 86_400).default(60),
      'how long a hold outlives its request, before the sweep may expire it',
    ),
  },
  read: ({ QUIPU_SETTLE_SECONDS: seconds }): PaidWorkSettings => ({
    settleMsMax: seconds * 1_000,
  }),
});
