import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type WorkerSampled } from '#events/statistics/worker.events.js';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { listenWhenReachable } from '#platform/jobs/listen-when-reachable.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CommandSender, type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { BUS, CLOCK, LOGGER } from '#platform/runtime/tokens.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';
import { HEARTBEATS_TOPIC, WorkerHeartbeat } from '#platform/tasks/worker-heartbeat.js';
import { sampleOf } from './worker-readings.js';
import { SampleWorkerCommand } from './sample-worker.handler.js';
import { STATISTICS_SETTINGS, type StatisticsSettings } from './statistics.settings.js';

const NAME = 'statistics.sampler';
/** Workers whose last sample is remembered; of others every heartbeat is looked at. */
const WORKERS_MAX = 10_000;

/** Records what the heartbeats of workers report, in the process that leads. */
@Injectable()
export class WorkerSampler implements LeaderService {
  readonly #sent = growingCache<WorkerSampled['data']>(WORKERS_MAX);
  readonly #sending = new Set<Promise<void>>();
  #stopping = new AbortController();
  #listening: Promise<Listener | null> = Promise.resolve(null);
  #phase: RunnerStatus['phase'] = 'closed';
  #failure: string | null = null;

  constructor(
    @Inject(BUS) private readonly bus: Pick<Bus, 'listen'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    @Inject(STATISTICS_SETTINGS) private readonly settings: StatisticsSettings,
  ) {}

  start(sender: CommandSender): Promise<void> {
    this.#stopping = new AbortController();
    this.#sent.clear();
    const { bus, logger } = this;
    const handle = (message: BusMessage): void => this.#hear(message, sender);
    const options = { bus, logger, topic: HEARTBEATS_TOPIC, handle };
    this.#phase = 'starting';
    this.#listening = listenWhenReachable(options, this.#stopping.signal).then((listener) => {
      if (listener !== null) this.#phase = 'live';
      return listener;
    });
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await (await this.#listening)?.close();
    await Promise.all(this.#sending);
    this.#phase = 'closed';
  }

  status(): RunnerStatus {
    const failure = this.#failure;
    return { name: NAME, phase: this.#phase, position: 0n, failure, retryAt: null };
  }

  #hear({ data }: BusMessage, sender: CommandSender): void {
    const heartbeat = WorkerHeartbeat.parse(data);
    const sample = sampleOf(heartbeat, instant(this.clock));
    if (!this.#isNews(sample)) return;
    this.#sent.set(sample.node, sample);
    const context = contextOf(randomUUID(), 'system');
    const sending = this.#send(sender, new SampleWorkerCommand(sample, context));
    this.#sending.add(sending);
    void sending.finally(() => this.#sending.delete(sending));
  }

  /** The decider decides; this spares it the heartbeats that it would ignore. */
  #isNews(sample: WorkerSampled['data']): boolean {
    const last = this.#sent.get(sample.node);
    if (last?.isOnline !== sample.isOnline) return true;
    const sinceMs = Date.parse(sample.sampledAt) - Date.parse(last.sampledAt);
    return sinceMs >= this.settings.sampleEveryMs;
  }

  /** The next heartbeat is the retry. */
  async #send(sender: CommandSender, command: SampleWorkerCommand): Promise<void> {
    try {
      await sender.execute(command);
      this.#failure = null;
    } catch (error) {
      this.#sent.delete(command.data.node);
      this.#failure = error instanceof Error ? error.message : String(error);
      this.logger.warn({ err: error }, 'a sample of a node could not be recorded');
    }
  }
}
