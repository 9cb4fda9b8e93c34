import { Inject, Injectable } from '@nestjs/common';
import { type JobId } from '#events/jobs/job.events.js';
import {
  type RentalFileSynced,
  type WorkspaceEvent,
  workspaceEvents,
} from '#events/rentals/rental.events.js';
import { type UserId } from '#events/vocabulary.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CLOCK, CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { RentalFolders } from '../running/rental-folders.js';
import {
  type WorkspaceCommand,
  workspaceDecider,
  type WorkspaceState,
} from './workspace.decider.js';

const FIELD = 'rental-file';

export interface SyncFacts extends Pick<
  RentalFileSynced['data'],
  'bytes' | 'receivedBytes' | 'delta'
> {
  readonly filePath: string;
  readonly sha256: string;
}

/** Records what happens to the files of rentals. */
@Injectable()
export class Workspaces {
  readonly #runner: CommandRunner<WorkspaceCommand, WorkspaceState, WorkspaceEvent>;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly folders: RentalFolders,
  ) {
    const decider = workspaceDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(workspaceEvents) });
  }

  /** Path and digest are sealed with the key of the user. */
  async recordSync(
    rental: { readonly rentalId: JobId; readonly accountId: string; readonly userId: UserId },
    { filePath, sha256, ...facts }: SyncFacts,
    context: CommandContext,
  ): Promise<void> {
    const file = JSON.stringify({ path: filePath, sha256 });
    const sealedFile = await this.secrets.subjects.seal(`user:${rental.userId}`, FIELD, file);
    const data = { ...rental, ...facts, sealedFile, syncedAt: instant(this.clock) };
    await this.#runner.run(streamOf(rental.rentalId), { type: 'RecordSync', data }, context);
  }

  /** Deletes files and log, then records it: a crash between them deletes again. */
  async remove(rentalId: JobId, context: CommandContext): Promise<void> {
    await this.folders.remove(rentalId);
    const data = { rentalId, removedAt: instant(this.clock) };
    await this.#runner.run(streamOf(rentalId), { type: 'RemoveWorkspace', data }, context);
  }
}

const streamOf = (rentalId: string): string => `rental-${rentalId}`;
