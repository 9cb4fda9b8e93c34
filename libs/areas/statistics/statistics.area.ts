import { answerEvents } from '#events/statistics/answer.events.js';
import { statisticsEvents } from '#events/statistics/worker.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { answersSent } from '#projections/statistics/answers-sent.projection.js';
import { dataMoved } from '#projections/statistics/data-moved.projection.js';
import { WorkerSampler } from './worker-sampler.js';
import { statisticsErrors } from './statistics.errors.js';
import { StatisticsModule } from './statistics.module.js';
import { statisticsProjections } from './statistics.projections.js';
import { statisticsSettings } from './statistics.settings.js';

export const statisticsArea = defineArea({
  name: 'statistics',
  description: 'Anonymous figures of the whole platform, recomputable from its log.',
  events: [...statisticsEvents, ...answerEvents],
  projections: [...statisticsProjections, dataMoved, answersSent],
  leaderServices: [WorkerSampler],
  errors: statisticsErrors,
  settings: [statisticsSettings],
  module: StatisticsModule,
});
