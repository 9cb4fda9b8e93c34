import { RENTAL_JOB } from '#events/rentals/rental.job.js';
import { jobKey, jobs } from '#projections/jobs/jobs.projection.js';

/** How is each rental of an account doing? The jobs of one type, with their keys. */
export const rentals: typeof jobs = {
  ...jobs,
  name: 'rentals',
  version: 1,
  keys: ({ data }) => (data.type === RENTAL_JOB ? [jobKey(data)] : []),
};
