import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AccountId } from '#events/vocabulary.js';
import { JobId } from '#events/jobs/job.events.js';
import { type Bus, type BusMessage } from '#platform/bus/bus.port.js';
import { type JobBlobs } from './job-blobs.js';
import { type JobTypes } from './job-type.js';
import {
  type Assignment,
  assignmentPlace,
  type AttemptRef,
  type Carried,
  workTopicOf,
} from './job.protocol.js';
import { type JobSeal, partsOf } from './job.seal.js';
import { type HeldJob } from './open-job.js';

export interface AssignmentSenderOptions {
  readonly bus: Pick<Bus, 'publish'>;
  readonly seal: JobSeal;
  readonly types: JobTypes;
  readonly blobs: Pick<JobBlobs, 'read'>;
}

/** Sends attempts to their hosts, and asks hosts to stop them. */
export class AssignmentSender {
  constructor(private readonly options: AssignmentSenderOptions) {}

  /**
   * A worker opens no stores, so its assignment carries input and checkpoint; a process with the
   * areas reads them itself. Repeating it is allowed.
   * @throws BlobError, SubjectErasedError, BusError
   */
  async assign(job: HeldJob): Promise<void> {
    const { bus, seal } = this.options;
    const { host } = job;
    const bodies = partsOf(JSON.stringify(await this.#assignmentOf(job)));
    const parts = bodies.length;
    const messages = bodies.map((body, n): BusMessage => {
      const part = n + 1;
      const data = seal.seal(assignmentPlace(host, job, part, parts), body);
      const headers = { ...headersOf('assignment', job), part: `${part}`, parts: `${parts}` };
      return { key: job.jobId, id: randomUUID(), headers, data };
    });
    await bus.publish(workTopicOf(host), messages);
  }

  async stop(host: string, ref: AttemptRef): Promise<void> {
    const headers = headersOf('stop', ref);
    const message = { key: ref.jobId, id: randomUUID(), headers, data: null };
    await this.options.bus.publish(workTopicOf(host), [message]);
  }

  async #assignmentOf(job: HeldJob): Promise<Assignment> {
    const { jobId, accountId, type, submittedAt, attempt, input, checkpoint, usage } = job;
    const isCarried = this.options.types.of(type).place.on === 'engine';
    const carried = async (blob: typeof input): Promise<Carried> =>
      isCarried ? { json: await this.options.blobs.read(accountId, blob, z.unknown()) } : { blob };
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

const headersOf = (kind: string, { jobId, attempt }: AttemptRef) => ({
  kind,
  job: jobId,
  attempt: String(attempt),
});
