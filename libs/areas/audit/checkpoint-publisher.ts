import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import {
  CheckpointStore,
  type PublishedCheckpoint,
} from '#platform/audit/checkpoint-store.port.js';
import { checkpointText, parseCheckpoint } from '#platform/audit/checkpoint.js';
import { NoteSigner, parseNote } from '#platform/audit/signed-note.js';
import { type TreeExtent } from '#platform/audit/tile-documents.js';
import { TreeReader, type WholeExtent } from '#platform/audit/tree-reader.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type BackOff, backOffMs } from '#platform/kernel/back-off.js';
import { type Clock } from '#platform/kernel/clock.js';
import { type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { CLOCK, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';
import { AUDIT_SETTINGS, type AuditSettings } from './audit.settings.js';
import { Cosigner } from './cosigner.js';
import { WitnessClient } from './witness-client.js';

const NAME = 'audit.checkpoints';
const RETRIES: BackOff = { firstMs: 1_000, maxMs: 60_000 };

/**
 * Signs a checkpoint of the tree now and then, in one process at a time. It signs no tree that does
 * not begin with the tree of the last checkpoint: a log that was put back to an earlier state, or
 * changed, has no checkpoint any more.
 */
@Injectable()
export class CheckpointPublisher implements LeaderService {
  #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #status: RunnerStatus = statusOf('closed');
  #contradiction: string | null = null;
  /** The extent that was published last by this process. */
  #published: TreeExtent | undefined;
  readonly #witnesses: readonly Cosigner[];

  constructor(
    private readonly tree: TreeReader,
    private readonly checkpoints: CheckpointStore,
    private readonly signer: NoteSigner,
    @Inject(EVENT_STORE) private readonly eventStore: Pick<EventStore, 'head' | 'readAll'>,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(AUDIT_SETTINGS) private readonly settings: Omit<AuditSettings, 'origin'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#witnesses = settings.witnesses.map((witness) => new Cosigner(new WitnessClient(witness)));
  }

  start(): Promise<void> {
    this.#stopping = new AbortController();
    this.#published = undefined;
    this.#status = statusOf('starting');
    this.#running = this.#run(this.#stopping.signal);
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    this.#status = statusOf('closed');
  }

  status(): RunnerStatus {
    return this.#status;
  }

  /** The difference between the log and the last checkpoint, or null. */
  get contradiction(): string | null {
    return this.#contradiction;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      let delayMs = this.settings.checkpointEveryMs;
      try {
        await this.publish();
        await this.cosign();
        failures = 0;
      } catch (error) {
        failures += 1;
        delayMs = Math.max(delayMs, backOffMs(RETRIES, failures));
        this.#failed(error);
      }
      await sleep(delayMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Publishes the tree as it is now, unless it is published already. */
  async publish(): Promise<void> {
    const head = await this.eventStore.head();
    const extent = await this.tree.extentUpTo(this.eventStore, head);
    const { size, position } = extent;
    if (this.#published?.size === size) {
      this.#status = { ...statusOf('live'), position };
      return;
    }
    const last = await this.checkpoints.last();
    this.#contradict(await this.#contradictionOf(last, extent));
    this.#status = { ...statusOf('live'), position };
    if (this.#contradiction !== null || (last && size <= last.size) || size === 0) return;
    const root = await this.tree.root(size);
    const text = checkpointText({ origin: this.signer.key.name, size, root });
    const next = { size, note: `${text}\n${this.signer.sign(text)}` };
    // Another process that leads since then has published in between: the next turn looks again.
    if (await this.checkpoints.replace(last, next)) this.#published = extent;
  }

  /**
   * Asks the witnesses that have not cosigned the last checkpoint, all at once. One that fails is
   * asked again after a while; the log is published without it meanwhile.
   */
  async cosign(): Promise<void> {
    if (this.#witnesses.length === 0 || this.#contradiction !== null) return;
    const last = await this.checkpoints.last();
    if (!last) return;
    const known = parseNote(last.note).signatures;
    const now = this.clock.now();
    const asked = this.#witnesses.filter((one) => one.isDue(now) && !one.hasSigned(known));
    const { size, note } = last;
    const consistency = (oldSize: number) => this.tree.consistency(oldSize, size);
    const lines = await Promise.all(
      asked.map((one) => one.cosign({ size, note, consistency }, this.clock, this.logger)),
    );
    const added = lines.join('');
    if (added !== '') await this.checkpoints.replace(last, { size, note: `${note}${added}` });
  }

  async #contradictionOf(
    last: PublishedCheckpoint | undefined,
    { size, isWhole }: WholeExtent,
  ): Promise<string | null> {
    if (!last) return null;
    if (size < last.size) {
      // The tree is built again after the read models were deleted.
      if (!isWhole) return null;
      return `the log has ${size} events, and a checkpoint of ${last.size} was published`;
    }
    const root = await this.tree.root(last.size);
    if (root.equals(parseCheckpoint(parseNote(last.note).text).root)) return null;
    return `the first ${last.size} events differ from the checkpoint that was published`;
  }

  #contradict(reason: string | null): void {
    if (reason !== null && reason !== this.#contradiction) {
      this.logger.error({ reason }, 'the log contradicts its last checkpoint; none is signed');
    }
    this.#contradiction = reason;
  }

  #failed(error: unknown): void {
    const failure = error instanceof Error ? error.message : String(error);
    if (this.#status.failure !== failure) {
      this.logger.error({ err: error }, 'no checkpoint could be published; it is tried again');
    }
    this.#status = { ...statusOf('stopped'), position: this.#status.position, failure };
  }
}

const statusOf = (phase: RunnerStatus['phase']): RunnerStatus => ({
  name: NAME,
  phase,
  position: 0n,
  failure: null,
  retryAt: null,
});
