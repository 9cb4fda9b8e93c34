import { type RigCertified } from '#events/rigs/rig.events.js';
import { openJobs } from '#projections/jobs/open-jobs.projection.js';
import { rigCertifications } from '#projections/rigs/rig-certifications.projection.js';
import { workerRigs } from '#projections/fleet/worker-rigs.projection.js';
import { inColumns } from '../table.js';

/** The areas that the commands compose: rigs, and the areas that their modules depend on. */
export const RIG_NEEDS = {
  areas: ['billing', 'catalog', 'fleet', 'inference', 'jobs', 'rigs'],
  installation: 'exists',
  projections: [openJobs, rigCertifications, workerRigs],
} as const;

type Certification = RigCertified['data'];

/** As `GET /api/v1/rigs` shows it. */
export const certificationJson = (certified: Certification) => ({
  id: certified.certificationId,
  badge: certified.badge,
  measurements: {
    first_token_ms: certified.measurements.firstTokenMs,
    first_token_samples: certified.measurements.firstTokenSamples,
    tokens_per_second: certified.measurements.tokensPerSecond,
    concurrent_streams: certified.measurements.concurrentStreams,
    tokens_per_second_concurrent: certified.measurements.tokensPerSecondConcurrent,
    is_answer_consistent: certified.measurements.isAnswerConsistent,
  },
  models: certified.models.map(({ id, isListed }) => ({ id, is_listed: isListed })),
  measured_model: certified.measuredModel,
  problems: certified.problems,
  thresholds: certified.thresholds.map((threshold) => ({
    badge: threshold.badge,
    first_token_ms_max: threshold.firstTokenMsMax,
    tokens_per_second_min: threshold.tokensPerSecondMin,
    tokens_per_second_concurrent_min: threshold.tokensPerSecondConcurrentMin,
  })),
  measured_at: certified.measuredAt,
  expires_at: certified.expiresAt,
});

const shown = (value: number | null, unit: string): string =>
  value === null ? 'not measured' : `${value} ${unit}`;

const answerOf = ({ isAnswerConsistent }: Certification['measurements']): string => {
  if (isAnswerConsistent === null) return 'not measured';
  return isAnswerConsistent ? 'the same twice' : 'not the same twice';
};

const modelsOf = ({ models }: Certification): string => {
  if (models.some(({ isListed }) => isListed === null)) return 'not measured';
  return `${models.filter(({ isListed }) => isListed).length} of ${models.length} present`;
};

export const certificationText = (certified: Certification): string => {
  const { rig, badge, measuredModel, measurements, problems, expiresAt } = certified;
  const concurrent = `speed of ${measurements.concurrentStreams ?? 'several'} streams`;
  const rows = [
    ['models', modelsOf(certified)],
    ['measured model', measuredModel ?? 'none'],
    ['answer', answerOf(measurements)],
    ['first token', shown(measurements.firstTokenMs, 'ms')],
    ['speed of 1 stream', shown(measurements.tokensPerSecond, 'tokens/s')],
    [concurrent, shown(measurements.tokensPerSecondConcurrent, 'tokens/s')],
  ];
  return [
    `Rig ${rig}: badge ${badge}, until ${expiresAt}.`,
    inColumns(rows.map(([name, value]) => [`  ${name}`, value ?? ''])),
    ...problems.map(({ quantity, message }) => `  ${quantity} was not measured: ${message}`),
  ].join('\n');
};
