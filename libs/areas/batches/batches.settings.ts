import { type BackOff } from '#platform/kernel/back-off.js';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export interface BatchSettings {
  /** Lines of one batch that run at once. */
  readonly linesAtOnce: number;
  /** Before a line runs again whose rigs are away. */
  readonly lineBackOff: BackOff;
}

const LINE_BACK_OFF: BackOff = { firstMs: 1_000, maxMs: 60_000, jitter: 0.5 };

export const BATCH_SETTINGS = Symbol('BatchSettings');

export const batchSettings = defineSettings({
  token: BATCH_SETTINGS,
  variables: {
    QUIPU_BATCH_LINES: variable(
      wholeNumber(1, 1_000).default(64),
      'lines of one batch that run at once; each rig has a limit of its own',
    ),
  },
  read: ({ QUIPU_BATCH_LINES: linesAtOnce }): BatchSettings => ({
    linesAtOnce,
    lineBackOff: LINE_BACK_OFF,
  }),
});
