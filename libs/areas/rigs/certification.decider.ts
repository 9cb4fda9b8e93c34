import { type Badge, type BadgeThreshold, RigCertified } from '#events/rigs/rig.events.js';
import { type Decider } from '#platform/kernel/decider.js';

/** The measurements of the job; the thresholds are the ones in force. */
export interface CertifyRig {
  readonly type: 'CertifyRig';
  readonly data: Omit<RigCertified['data'], 'badge'>;
}

export interface CertificationState {
  /** Of the last certification; null for none. */
  readonly measuredAt: string | null;
}

/** The best badge whose thresholds the rig reaches. A quantity that was not measured is missed. */
export const badgeOf = ({
  models,
  measurements,
  thresholds,
}: Pick<RigCertified['data'], 'models' | 'measurements' | 'thresholds'>): Badge => {
  const isSound =
    models.length > 0 &&
    models.every(({ isListed }) => isListed === true) &&
    measurements.isAnswerConsistent === true;
  if (!isSound) return 'none';
  return thresholds.find((threshold) => reaches(measurements, threshold))?.badge ?? 'none';
};

const reaches = (
  measured: RigCertified['data']['measurements'],
  threshold: BadgeThreshold,
): boolean =>
  isAtMost(measured.firstTokenMs, threshold.firstTokenMsMax) &&
  isAtLeast(measured.tokensPerSecond, threshold.tokensPerSecondMin) &&
  isAtLeast(measured.tokensPerSecondConcurrent, threshold.tokensPerSecondConcurrentMin);

const isAtMost = (value: number | null, max: number | null): boolean =>
  max === null || (value !== null && value <= max);

const isAtLeast = (value: number | null, min: number | null): boolean =>
  min === null || (value !== null && value >= min);

/** Certifies one rig. Measurements that are not newer than the last ones change nothing. */
export const certificationDecider: Decider<CertifyRig, CertificationState, RigCertified> = {
  initialState: { measuredAt: null },
  decide: ({ data }, { measuredAt }) =>
    measuredAt !== null && data.measuredAt <= measuredAt
      ? []
      : [RigCertified.of({ ...data, badge: badgeOf(data) })],
  evolve: (_state, { data }) => ({ measuredAt: data.measuredAt }),
};
