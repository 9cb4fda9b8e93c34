import { Injectable } from '@nestjs/common';
import { type JobBlob, type JobUsage } from '#events/jobs/job.events.js';
import { isAttempted, type SubmittedJob } from '#platform/jobs/job.state.js';
import { type ReportedAttempt, type ReportedContent } from '#platform/jobs/job.commands.js';
import { JobBlobs } from '#platform/jobs/job-blobs.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type AnyJobType, JobTypes } from '#platform/jobs/job-type.js';
import { ProductMismatchError } from '#platform/ledger/product.js';
import { type z } from 'zod';

/** A job whose current attempt is the reported one. */
export interface CurrentJob {
  readonly job: SubmittedJob;
  readonly type: AnyJobType;
}

/** The common part of the reports of attempts. */
@Injectable()
export class ReportedAttempts {
  constructor(
    private readonly streams: JobStreams,
    private readonly blobs: JobBlobs,
    private readonly types: JobTypes,
  ) {}

  /** Undefined for a report that the decider would ignore: nothing of it is stored. */
  async current({ jobId, attempt, host }: ReportedAttempt): Promise<CurrentJob | undefined> {
    const job = await this.streams.stateOf(jobId);
    if (job.status === 'absent' || !isAttempted(job)) return undefined;
    if (job.attempt !== attempt || job.host !== host) return undefined;
    return { job, type: this.types.of(job.order.type) };
  }

  /** Checks JSON that a host hands over, and stores it. */
  async stored({ job }: CurrentJob, content: ReportedContent, schema: z.ZodType): Promise<JobBlob> {
    if (content.kind === 'blob') return content.blob;
    return this.blobs.put(job.order.accountId, schema.parse(content.value));
  }

  /** @throws ProductMismatchError for a meter that the product of the type does not have */
  demandMeters({ type }: CurrentJob, usage: readonly JobUsage[]): void {
    const product = type.price?.product;
    if (!product) return;
    for (const { meter } of usage) {
      if (Object.hasOwn(product.meters, meter)) continue;
      throw new ProductMismatchError(`the product ${product.purpose} has no meter ${meter}`);
    }
  }
}
