import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AccountId } from '#events/vocabulary.js';
import { JobId } from '#events/jobs/job.events.js';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { BUS } from '#platform/runtime/tokens.js';
import { JobBlobs } from './job-blobs.js';
import { JobTypes } from './job-type.js';
import {
  type Assignment,
  assignmentPlace,
  type JobAttemptRef,
  type Carried,
  workTopicOf,
} from './job.protocol.js';
import { JobSeal, partsOf } from './job.seal.js';
import { type HeldJob } from './open-job.js';

/** Sends attempts to their hosts, and asks hosts to stop them. */
@Injectable()
export class AssignmentSender {
  constructor(
    @Inject(BUS) private readonly bus: Pick<Bus, 'publish'>,
    private readonly seal: JobSeal,
    private readonly types: JobTypes,
    @Inject(JobBlobs) private readonly blobs: Pick<JobBlobs, 'read'>,
  ) {}

  /**
   * A worker opens no stores, so its assignment carries input and checkpoint; a process with the
   * areas reads them itself. Repeating it is allowed.
   * @throws BlobError, SubjectErasedError, BusError
   */
  async assign(job: HeldJob): Promise<void> {
    const { host } = job;
    const bodies = partsOf(JSON.stringify(await this.#assignmentOf(job)));
    const parts = bodies.length;
    const messages = bodies.map((body, n): BusMessage => {
      const part = n + 1;
      const data = this.seal.seal(assignmentPlace(host, job, part, parts), body);
      const headers = { ...headersOf('assignment', job), part: `${part}`, parts: `${parts}` };
      return { key: job.jobId, id: randomUUID(), headers, data };
    });
    await this.bus.publish(workTopicOf(host), messages);
  }

  async stop(host: string, ref: JobAttemptRef): Promise<void> {
    const headers = headersOf('stop', ref);
    const message = { key: ref.jobId, id: randomUUID(), headers, data: null };
    await this.bus.publish(workTopicOf(host), [message]);
  }

  async #assignmentOf(job: HeldJob): Promise<Assignment> {
    const { jobId, accountId, type, submittedAt, attempt, input, checkpoint, usage } = job;
    const isCarried = this.types.of(type).place.on === 'engine';
    const carried = async (blob: typeof input): Promise<Carried> =>
      isCarried ? { json: await this.blobs.read(accountId, blob, z.unknown()) } : { blob };
    return {
      jobId: JobId.parse(jobId),
      attempt,
      type,
      accountId: AccountId.parse(accountId),
      submittedAt,
      input: await carried(input),
      checkpoint: checkpoint && (await carried(checkpoint)),
      usage: [...usage],
    };
  }
}

const headersOf = (kind: string, { jobId, attempt }: JobAttemptRef) => ({
  kind,
  job: jobId,
  attempt: String(attempt),
});
