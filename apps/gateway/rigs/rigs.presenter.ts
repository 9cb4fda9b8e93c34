import { type RigStanding } from '#areas/rigs/certifications.queries.js';
import { type MeasuredRig } from '#areas/rigs/measured-rigs.port.js';
import { type CertificationDto, type RigListDto } from './rigs.dto.js';

/** @param standings of the same rigs, in the same order */
export const presentRigs = (
  rigs: readonly MeasuredRig[],
  standings: readonly RigStanding[],
): RigListDto => ({
  success: true,
  rigs: rigs.map(({ name, kind, models }, index) => {
    const standing = standings[index];
    return {
      name,
      kind,
      models: models.map(({ id }) => id),
      badge: standing?.badge ?? null,
      status: standing?.status ?? 'never_certified',
      certification: standing?.certification ? presentCertification(standing.certification) : null,
    };
  }),
});

export const presentCertification = (
  certified: NonNullable<RigStanding['certification']>,
): CertificationDto => {
  const { measurements } = certified;
  return {
    id: certified.certificationId,
    badge: certified.badge,
    measurements: {
      first_token_ms: measurements.firstTokenMs,
      first_token_samples: measurements.firstTokenSamples,
      tokens_per_second: measurements.tokensPerSecond,
      concurrent_streams: measurements.concurrentStreams,
      tokens_per_second_concurrent: measurements.tokensPerSecondConcurrent,
      is_answer_consistent: measurements.isAnswerConsistent,
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
  };
};
