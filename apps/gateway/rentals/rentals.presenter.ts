import { RentalExit, RentalProgress } from '#events/rentals/rental.job.js';
import { type Rental, type RentalPage } from '#areas/rentals/rental.queries.js';
import { fromDecimal, toUsd } from '#platform/kernel/money.js';
import { type RentalDto, type RentalListDto } from './rentals.dto.js';

export const presentRental = ({ summary, job }: Rental): RentalDto => {
  const progress = RentalProgress.safeParse(job.progress?.shown).data;
  const exit = RentalExit.safeParse(job.result?.summary).data;
  return {
    job_id: summary.number,
    job_uuid: job.jobId,
    status: job.status,
    rig: summary.rig,
    image: summary.image,
    first_port: summary.firstPort,
    last_port: summary.lastPort,
    hourly_usd: toUsd(fromDecimal(summary.microUsdPerHour)),
    seconds: job.usage.find(({ meter }) => meter === 'seconds')?.quantity ?? 0,
    engine: progress?.engine ?? null,
    limits_enforced: progress?.isLimited ?? null,
    exit_code: exit?.exitCode ?? null,
    error: job.error,
    charge: job.charge && { outcome: job.charge.outcome, amount_micro_usd: job.charge.amount },
    submitted_at: job.submittedAt,
    started_at: job.startedAt,
    paused_until: job.pausedUntil,
    ended_at: job.endedAt,
  };
};

export const presentRentals = ({ rentals, nextAfter }: RentalPage): RentalListDto => ({
  success: true,
  rentals: rentals.map(presentRental),
  next_after: nextAfter,
});
