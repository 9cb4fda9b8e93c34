import { Inject, Injectable } from '@nestjs/common';
import { JobId } from '#events/jobs/job.events.js';
import { Jobs } from '#platform/jobs/jobs.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { derivedId } from '#platform/runtime/commands/derived-id.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import { type OpenIngest, VaultIngest } from './vault-ingest.js';
import { vaultIngestJob } from './vault-ingest.job.js';

/** Ingests that outlive their request. */
@Injectable()
export class IngestJobs {
  constructor(
    private readonly ingests: VaultIngest,
    private readonly jobs: Jobs,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Holds the worst case and submits; a repeat of the request is the same job.
   * @throws DomainError
   */
  async submit(ingest: OpenIngest, context: CommandContext): Promise<string> {
    const jobId = JobId.parse(derivedId('vault ingest', context.requestId));
    const pricedAtMs = this.clock.now();
    const evidence = evidenceOf(ingest);
    const { lines, rateCardVersion } = this.ingests.held(ingest, pricedAtMs);
    const input = { ...ingest, actor: context.actor };
    const hold = { lines, rateCardVersion, evidence };
    const { accountId } = ingest;
    const order = { jobId, accountId, input, summary: evidence, hold, pricedAtMs };
    await this.jobs.submit(vaultIngestJob, order, context);
    return jobId;
  }

  /** An ended one stays as it is. @throws DomainError `job_not_found` */
  async cancel(jobId: string, context: CommandContext): Promise<void> {
    await this.jobs.cancel(JobId.parse(jobId), context);
  }
}

export const evidenceOf = ({ vaultId, documentId, chunks }: OpenIngest) => ({
  vaultId,
  documentId,
  chunks: chunks.length,
});
