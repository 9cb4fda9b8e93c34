import { ExplainRequestQuery } from '#areas/billing/explanations/explain-request.handler.js';
import { JobQuery } from '#areas/jobs/job.queries.js';
import { energyReport } from '#areas/spiking/energy-report.js';
import {
  SPIKING_BATCH_JOB,
  SpikingBatchProgress,
  SpikingBatchSummary,
} from '#events/spiking/spiking-batch.job.js';
import { SpikingCaptureEvidence, type SpikingCounts } from '#events/spiking/spiking.evidence.js';
import { type JobRecord, jobs } from '#projections/jobs/jobs.projection.js';
import { CommandFailure, usage } from '../command-failure.js';
import { type CommonOptions, type Invocation, type Outcome } from '../invocation.js';
import { withQuipu } from '../quipu.context.js';
import { energyJson, energyText } from './energy-output.js';

export interface RecomputeEnergyOptions extends CommonOptions {
  readonly request?: string;
  readonly job?: string;
}

/** The record in the log of a run, or of the runs of a batch. */
interface Evidence {
  readonly slug: string;
  readonly runs: number;
  readonly counts: SpikingCounts;
  readonly weightsSha256: string;
  readonly meterVersion: number;
  readonly gridGramsPerKwh: number;
}

export const recomputeEnergy = async (
  { request, job }: RecomputeEnergyOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  if ((request === undefined) === (job === undefined)) {
    throw usage('give either --request or --job');
  }
  const evidence =
    request === undefined
      ? await ofJob(job ?? '', invocation)
      : await ofRequest(request, invocation);
  const energy = energyReport(evidence.counts, evidence.gridGramsPerKwh);
  const { slug, runs, counts, weightsSha256, meterVersion, gridGramsPerKwh } = evidence;
  return {
    json: {
      slug,
      runs,
      counts,
      weights_sha256: weightsSha256,
      meter_version: meterVersion,
      grid_gco2e_per_kwh: gridGramsPerKwh,
      energy: energyJson(energy),
    },
    text: `${runs} runs of ${slug}: ${energyText(energy)}`,
  };
};

const ofRequest = async (requestId: string, invocation: Invocation): Promise<Evidence> => {
  const needs = { areas: ['billing'], installation: 'exists', projections: [] } as const;
  const found = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new ExplainRequestQuery(requestId, null)),
  );
  const events = found.kind === 'admitted' ? found.events.map(({ event }) => event) : [];
  const charge = events.find(({ type }) => type === 'HoldCaptured');
  const evidence =
    charge?.type === 'HoldCaptured'
      ? SpikingCaptureEvidence.safeParse(charge.data.evidence)
      : undefined;
  if (evidence?.success) return { runs: 1, ...evidence.data };
  throw noEvidence(`the log has no charge of a spiking run for the request ${requestId}`);
};

const ofJob = async (jobId: string, invocation: Invocation): Promise<Evidence> => {
  const areas = ['billing', 'jobs', 'spiking', 'catalog'];
  const needs = { areas, installation: 'exists', projections: [jobs] } as const;
  const job = await withQuipu(invocation, needs, ({ queries }) =>
    queries.execute(new JobQuery(jobId, 'admin')),
  );
  if (job.type !== SPIKING_BATCH_JOB) throw noEvidence(`the job ${jobId} is no batch of runs`);
  return evidenceOf(job);
};

/** Of a job that did not complete: as far as its last progress in the log. */
const evidenceOf = ({ jobId, summary, result, progress }: JobRecord): Evidence => {
  const { slug, gridGramsPerKwh } = SpikingBatchSummary.parse(summary);
  const shown = SpikingBatchProgress.safeParse(result?.summary ?? progress?.shown);
  const { weightsSha256 = null, meterVersion = null, runs = 0 } = shown.data ?? {};
  if (!shown.success || weightsSha256 === null || meterVersion === null) {
    throw noEvidence(`the log has no finished run of the job ${jobId}`);
  }
  const { counts } = shown.data;
  return { slug, runs, counts, weightsSha256, meterVersion, gridGramsPerKwh };
};

const noEvidence = (message: string): CommandFailure => new CommandFailure('no_evidence', message);
