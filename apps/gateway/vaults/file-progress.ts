import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type Caller } from '#areas/identity/authentication/caller.js';
import { JobQuery } from '#areas/jobs/job.queries.js';
import { type FileBatch } from '#areas/vaults/file-batches.js';
import { type JobRecord } from '#projections/jobs/jobs.projection.js';
import { readerOf } from '../identity/reader.js';
import { type FileStatus } from './file-batches.dto.js';

/** How far a file of a batch is. */
export interface FileState {
  readonly fileId: string;
  readonly documentId: string | null;
  readonly status: FileStatus;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** Finds the states of the files of a batch in the jobs that attach them. */
@Injectable()
export class FileProgress {
  constructor(private readonly queries: QueryBus) {}

  of({ files }: FileBatch, caller: Caller): Promise<readonly FileState[]> {
    return Promise.all(
      files.map(async ({ fileId, work, rejection }): Promise<FileState> => {
        if (!work) return { fileId, documentId: null, status: 'failed', error: rejection };
        const { jobId, documentId } = work;
        const job = await this.queries.execute(new JobQuery(jobId, readerOf(caller)));
        return { fileId, documentId, ...stateOf(job) };
      }),
    );
  }
}

const stateOf = ({ status, error }: JobRecord): Pick<FileState, 'status' | 'error'> => {
  switch (status) {
    case 'completed':
    case 'cancelled':
      return { status, error: null };
    case 'failed':
      return { status, error };
    case 'timed_out':
      return { status: 'failed', error: { code: status, message: 'the job took too long' } };
    case 'waiting':
    case 'queued':
    case 'dispatched':
    case 'running':
    case 'paused':
    case 'cancelling':
      return { status: 'in_progress', error: null };
  }
};
