import { Injectable } from '@nestjs/common';
import { type z } from 'zod';
import { type JobBlob } from '#events/jobs/job.events.js';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { type BlobRef, Blobs } from '#platform/blobs/blobs.port.js';
import { inOnePiece } from '#platform/blobs/pieces.js';
import { type NamedBlob } from './job.saga.js';

/** The largest input, checkpoint or result of a job, as JSON. */
export const JOB_JSON_BYTES_MAX = 64 * 1_024 * 1_024;

/** JSON of a job is larger than `JOB_JSON_BYTES_MAX`. */
export class JobJsonTooLargeError extends Error {
  override readonly name = 'JobJsonTooLargeError';
}

/** A user's own account has the user's id in decimal. */
const USER_ACCOUNT = /^\d+$/;

/** Erasing a user erases the content of the jobs of the user's own account. */
export const blobOwnerOf = (accountId: string): string =>
  USER_ACCOUNT.test(accountId) ? `user:${accountId}` : `account:${accountId}`;

const holderOf = ({ jobId, role }: NamedBlob): string => `job:${jobId}:${role}`;

const refOf = ({ accountId, address }: NamedBlob): BlobRef => ({
  address,
  owner: blobOwnerOf(accountId),
});

/** Inputs, checkpoints and results of jobs: JSON, sealed with the key of the account's owner. */
@Injectable()
export class JobBlobs {
  constructor(private readonly blobs: Blobs) {}

  /** @throws JobJsonTooLargeError, BlobError, SubjectErasedError */
  async put(accountId: string, value: unknown): Promise<JobBlob> {
    const bytes = Buffer.from(JSON.stringify(value), 'utf8');
    if (bytes.length > JOB_JSON_BYTES_MAX) {
      throw new JobJsonTooLargeError(`${bytes.length} bytes are more than ${JOB_JSON_BYTES_MAX}`);
    }
    const owner = blobOwnerOf(accountId);
    const { address } = await this.blobs.put(inOnePiece(bytes), { owner });
    return { address, bytes: bytes.length };
  }

  /** @throws BlobError; ZodError for content that the schema of this build rejects */
  async read<Value>(accountId: string, blob: JobBlob, schema: z.ZodType<Value>): Promise<Value> {
    const { address } = blob;
    const { content } = await this.blobs.open({ address, owner: blobOwnerOf(accountId) });
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    return schema.parse(JSON.parse(Buffer.concat(pieces).toString('utf8')));
  }

  /** Nothing is kept of a blob that is gone, such as one whose owner was erased. */
  async keep(named: NamedBlob): Promise<void> {
    await unlessGone(this.blobs.retain(refOf(named), holderOf(named)));
  }

  async release(named: NamedBlob): Promise<void> {
    await unlessGone(this.blobs.release(refOf(named), holderOf(named)));
  }
}

const unlessGone = async (done: Promise<void>): Promise<void> => {
  try {
    await done;
  } catch (error) {
    if (!isBlobGone(error)) throw error;
  }
};
