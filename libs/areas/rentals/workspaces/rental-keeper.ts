import { randomUUID } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { JobId } from '#events/jobs/job.events.js';
import { isEnded, timeOf } from '#platform/jobs/job.state.js';
import { JobStreams } from '#platform/jobs/job-streams.js';
import { type Clock } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CommandSender } from '#platform/runtime/areas/leader-service.js';
import { PollingService } from '#platform/runtime/areas/polling-service.js';
import { CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { RentalEngines } from '../engines/rental-engines.js';
import { isRunning, readState } from '../engines/process-record.js';
import { RENTAL_SETTINGS, type RentalSettings } from '../rentals.settings.js';
import { RentalFolders } from '../running/rental-folders.js';
import { discard } from '../sync/incoming-file.js';
import { Workspaces } from './workspaces.js';

const EVERY_MS = 10_000;
/** No upload takes longer. */
const INCOMING_MS_MAX = 6 * 3_600_000;

/**
 * Ends programs of ended rentals that a lost process has left, deletes workspaces that were kept
 * long enough, and what was received for no file.
 */
@Injectable()
export class RentalKeeper extends PollingService {
  readonly #reaped = new Set<string>();

  constructor(
    private readonly engines: RentalEngines,
    private readonly folders: RentalFolders,
    private readonly streams: JobStreams,
    private readonly workspaces: Workspaces,
    @Inject(RENTAL_SETTINGS) private readonly settings: Pick<RentalSettings, 'keptMs'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    const failed = 'the folders of rentals could not be kept in order';
    super({ name: 'rentals', pauseMs: EVERY_MS, failed }, logger);
  }

  protected override look(_sender: CommandSender, signal: AbortSignal): Promise<void> {
    return this.lookOnce(signal);
  }

  async lookOnce(signal: AbortSignal): Promise<void> {
    for (const name of await namesIn(this.folders.rentals)) {
      if (signal.aborted) return;
      const rentalId = JobId.safeParse(name);
      if (rentalId.success) await this.#keep(rentalId.data);
    }
    for (const name of await namesIn(this.folders.incoming)) {
      await this.#discardOld(path.join(this.folders.incoming, name));
    }
  }

  async #keep(rentalId: JobId): Promise<void> {
    const job = await this.streams.stateOf(rentalId);
    if (job.status === 'absent' || !isEnded(job)) return;
    await this.#reap(rentalId);
    const keptUntilMs = timeOf(job.endedAt ?? '') + this.settings.keptMs;
    if (this.clock.now() < keptUntilMs) return;
    await this.workspaces.remove(rentalId, contextOf(randomUUID(), 'rental-keeper'));
    this.#reaped.delete(rentalId);
  }

  /** Once: afterwards nothing starts the program of an ended rental. */
  async #reap(rentalId: JobId): Promise<void> {
    if (this.#reaped.has(rentalId)) return;
    const { stateFile } = this.folders.of(rentalId);
    const state = await readState(stateFile);
    // A runner of a living process still stops the program itself.
    if (state && (await isRunning(state.owner))) return;
    const engine = await this.engines.pick().catch(() => null);
    await engine?.reap(rentalId, stateFile);
    this.#reaped.add(rentalId);
  }

  async #discardOld(file: string): Promise<void> {
    const found = await stat(file).catch(() => null);
    if (found && this.clock.now() - found.mtimeMs > INCOMING_MS_MAX) await discard(file);
  }
}

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(() => []);
