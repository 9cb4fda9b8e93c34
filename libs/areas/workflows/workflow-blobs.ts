import { Injectable } from '@nestjs/common';
import { type z } from 'zod';
import { type WorkflowBlob } from '#events/workflows/workflow.vocabulary.js';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { blobOwnerOf, JobBlobs } from '#platform/jobs/job-blobs.js';

/** The holder of the definition of a version, named by the request that stored the version. */
export const versionHolder = (requestId: string): string => `workflowversion:${requestId}`;

export const runHolder = (runId: string): string => `workflowrun:${runId}`;

/** Definitions, inputs and outputs: JSON, sealed with the key of the account's owner. */
@Injectable()
export class WorkflowBlobs {
  constructor(
    private readonly json: JobBlobs,
    private readonly blobs: Blobs,
  ) {}

  /** Durable and kept for the holder, before an event names it. */
  async put(accountId: string, value: unknown, holder: string): Promise<WorkflowBlob> {
    const blob = await this.json.put(accountId, value);
    await this.blobs.retain({ address: blob.address, owner: blobOwnerOf(accountId) }, holder);
    return blob;
  }

  /** Keeps a blob for one more holder. @throws BlobError for one that is gone */
  async keep(accountId: string, { address }: WorkflowBlob, holder: string): Promise<void> {
    await this.blobs.retain({ address, owner: blobOwnerOf(accountId) }, holder);
  }

  /** @throws BlobError; ZodError for content that the schema of this build rejects */
  read<Value>(accountId: string, blob: WorkflowBlob, schema: z.ZodType<Value>): Promise<Value> {
    return this.json.read(accountId, blob, schema);
  }

  async release(accountId: string, { address }: WorkflowBlob, holder: string): Promise<void> {
    try {
      await this.blobs.release({ address, owner: blobOwnerOf(accountId) }, holder);
    } catch (error) {
      if (!isBlobGone(error)) throw error;
    }
  }
}
