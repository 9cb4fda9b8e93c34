import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { maySee, type Reader } from '#platform/runtime/projections/reader.js';
import { reject } from '../workflows.errors.js';
import { type StartedRun } from './workflow-run.state.js';
import { WorkflowStreams } from './workflow-streams.js';

const RunId = z.uuid();

/** Finds the runs that a reader may see. */
@Injectable()
export class RunAccess {
  constructor(private readonly streams: WorkflowStreams) {}

  /**
   * The run as the log has it now.
   * @param written an id as a caller sent it
   * @throws DomainError `workflow_run_not_found`, for the run of another account too
   */
  async find(written: string, reader: Reader): Promise<StartedRun> {
    const id = RunId.safeParse(written);
    const run = id.success ? await this.streams.runOf(id.data) : ({ status: 'absent' } as const);
    if (run.status === 'absent') return notFound();
    return maySee(reader, run.order.accountId) ? run : notFound();
  }
}

const notFound = (): never => reject('workflow_run_not_found', 'there is no run with this id');
