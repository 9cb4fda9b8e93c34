import { describe, expect, it } from '@jest/globals';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import {
  CertifyMeasuredRigCommand,
  CertifyMeasuredRigHandler,
} from './certify-measured-rig.handler.js';

const JOB_ID = '01890a5d-ac96-474b-8cce-b302099a8057';

/** Certifies where reading the result fails like this; there is no log to append to. */
const certify = (error: Error): Promise<void> => {
  const jobs = { result: () => Promise.reject(error) };
  const codec = { for: () => ({}) };
  const handler = new CertifyMeasuredRigHandler(jobs as never, {} as never, codec as never);
  const context = contextOf(JOB_ID, 'saga:rig-certification');
  return handler.execute(new CertifyMeasuredRigCommand({ jobId: JOB_ID }, context));
};

describe('the certification of a measured rig', () => {
  it('is left out when the result is no longer kept, so that the saga continues', async () => {
    const gone = new DomainError('job_result_gone', 'no longer kept');
    await expect(certify(gone)).resolves.toBeUndefined();
  });

  it('is tried again after any other failure', async () => {
    const missing = new DomainError('job_not_found', 'there is no such job');
    await expect(certify(missing)).rejects.toBe(missing);
  });
});
