import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';
import { MEMBERS_MAX } from '#projections/statistics/time-slots.js';

export interface StatisticsSettings {
  /** A figure of fewer accounts or nodes is not published. */
  readonly groupMin: number;
  /** The least time between two samples of one node. */
  readonly sampleEveryMs: number;
}

export const STATISTICS_SETTINGS = Symbol('StatisticsSettings');

export const statisticsSettings = defineSettings({
  token: STATISTICS_SETTINGS,
  variables: {
    QUIPU_STATISTICS_GROUP_MIN: variable(
      wholeNumber(1, MEMBERS_MAX).default(5),
      'a statistic of fewer accounts or nodes is not published; 1 publishes all',
    ),
    QUIPU_STATISTICS_SAMPLE_SECONDS: variable(
      wholeNumber(10, 86_400).default(300),
      'the least time between two samples of the telemetry of one worker',
    ),
  },
  read: (values): StatisticsSettings => ({
    groupMin: values.QUIPU_STATISTICS_GROUP_MIN,
    sampleEveryMs: values.QUIPU_STATISTICS_SAMPLE_SECONDS * 1_000,
  }),
});
