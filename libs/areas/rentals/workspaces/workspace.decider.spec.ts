import { describe, it } from '@jest/globals';
import { JobId } from '#events/jobs/job.events.js';
import { RentalFileSynced, RentalWorkspaceRemoved } from '#events/rentals/rental.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { workspaceDecider } from './workspace.decider.js';

const rentalId = JobId.parse('019aa7d0-7a3b-7c5d-8e9f-0a1b2c3d4e5f');
const sync = {
  rentalId,
  accountId: '7',
  userId: UserId.parse(7),
  sealedFile: 'A'.repeat(48),
  bytes: 20,
  receivedBytes: 5,
  delta: 'vcdiff',
  syncedAt: '2026-11-22T10:00:00.000Z',
} as const;
const removal = { rentalId, removedAt: '2026-11-23T10:00:00.000Z' };
const synced = RentalFileSynced.of(sync);
const removed = RentalWorkspaceRemoved.of(removal);

const workspace = deciderSpecOf(workspaceDecider);

describe('the workspace of a rental', () => {
  it('records each sync', () => {
    workspace.given(synced).when({ type: 'RecordSync', data: sync }).then(synced);
  });

  it('is removed once, and has no file afterwards', () => {
    workspace.given(synced).when({ type: 'RemoveWorkspace', data: removal }).then(removed);
    workspace.given(removed).when({ type: 'RemoveWorkspace', data: removal }).thenNothing();
    const late = workspace.given(removed).when({ type: 'RecordSync', data: sync });
    late.thenThrows('sync_job_not_found');
  });
});
