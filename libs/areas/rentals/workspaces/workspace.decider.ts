import {
  RentalFileSynced,
  RentalWorkspaceRemoved,
  type WorkspaceEvent,
} from '#events/rentals/rental.events.js';
import { type Decider } from '#platform/kernel/decider.js';
import { reject } from '../rentals.errors.js';

export type WorkspaceCommand =
  | { readonly type: 'RecordSync'; readonly data: RentalFileSynced['data'] }
  | { readonly type: 'RemoveWorkspace'; readonly data: RentalWorkspaceRemoved['data'] };

export interface WorkspaceState {
  readonly isRemoved: boolean;
}

const decide = (
  { type, data }: WorkspaceCommand,
  { isRemoved }: WorkspaceState,
): readonly WorkspaceEvent[] => {
  switch (type) {
    case 'RecordSync':
      return isRemoved
        ? reject('sync_job_not_found', 'Job not found: its workspace was removed')
        : [RentalFileSynced.of(data)];
    case 'RemoveWorkspace':
      return isRemoved ? [] : [RentalWorkspaceRemoved.of(data)];
  }
};

const evolve = (state: WorkspaceState, { type }: WorkspaceEvent): WorkspaceState => {
  switch (type) {
    case 'RentalFileSynced':
      return state;
    case 'RentalWorkspaceRemoved':
      return { isRemoved: true };
  }
};

/** The files of a rental: what was synced, until they are deleted. */
export const workspaceDecider: Decider<WorkspaceCommand, WorkspaceState, WorkspaceEvent> = {
  initialState: { isRemoved: false },
  decide,
  evolve,
};
