import { type Rental } from '#areas/rentals/rental.queries.js';
import { rentalNumbers } from '#projections/rentals/rental-numbers.projection.js';
import { jobs } from '#projections/jobs/jobs.projection.js';
import { jobsByType } from '#projections/jobs/jobs-by-type.projection.js';
import { inUsd } from '#platform/kernel/money.js';
import { type CommonOptions } from '../invocation.js';

export interface RentalOptions extends CommonOptions {
  readonly number: number;
}

/** The areas that reading and stopping a rental need. */
export const RENTAL_NEEDS = {
  areas: ['billing', 'jobs', 'rentals'],
  installation: 'exists',
  projections: [jobs, jobsByType, rentalNumbers],
} as const;

export const secondsOf = ({ job }: Rental): number =>
  job.usage.find(({ meter }) => meter === 'seconds')?.quantity ?? 0;

export const fieldsOf = (rental: Rental): Readonly<Record<string, unknown>> => {
  const { summary, job } = rental;
  return {
    job_id: summary.number,
    job_uuid: job.jobId,
    account_id: job.accountId,
    state: job.status,
    rig: summary.rig,
    image: summary.image,
    first_port: summary.firstPort,
    last_port: summary.lastPort,
    micro_usd_per_hour: summary.microUsdPerHour,
    seconds: secondsOf(rental),
    error: job.error,
    charge: job.charge && { outcome: job.charge.outcome, amount_micro_usd: job.charge.amount },
    submitted_at: job.submittedAt,
    started_at: job.startedAt,
    paused_until: job.pausedUntil,
    ended_at: job.endedAt,
  };
};

/** One line for each fact that there is. */
export const textOf = (rental: Rental): string => {
  const { summary, job } = rental;
  return [
    `Rental ${summary.number} of account ${job.accountId}: ${summary.rig}, ${job.status}`,
    `ports ${summary.firstPort} to ${summary.lastPort}`,
    summary.image && `image ${summary.image}`,
    `${secondsOf(rental)} seconds at ${inUsd(BigInt(summary.microUsdPerHour))} an hour`,
    job.startedAt && `started ${job.startedAt}`,
    job.pausedUntil && `out of funds; it ends at ${job.pausedUntil}`,
    job.endedAt && `ended ${job.endedAt}`,
    job.error && `error ${job.error.code}: ${job.error.message}`,
    job.charge && `${job.charge.outcome}: ${inUsd(BigInt(job.charge.amount))}`,
  ]
    .filter((line) => line !== null)
    .join('\n  ');
};
