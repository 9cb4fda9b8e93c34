import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Bus, type BusMessage, type Listener } from '#platform/bus/bus.port.js';
import { listenWhenReachable } from '#platform/jobs/listen-when-reachable.js';
import { type Clock, instant } from '#platform/kernel/clock.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { contextOf } from '#platform/runtime/commands/command-context.js';
import { type CommandSender, type LeaderService } from '#platform/runtime/areas/leader-service.js';
import { type RunnerStatus } from '#platform/runtime/subscriptions/log-progress.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { BUS, CLOCK, LOGGER, PROJECTIONS } from '#platform/runtime/tokens.js';
import { growingCache } from '#platform/runtime/projections/growing-cache.js';
import { TaskSeal } from '#platform/tasks/task.seal.js';
import {
  HEARTBEATS_TOPIC,
  MISSED_HEARTBEATS_MAX,
  WorkerHeartbeat,
} from '#platform/tasks/worker-heartbeat.js';
import { orderDrain } from '#platform/tasks/worker-orders.js';
import { workerRigs } from '#projections/fleet/worker-rigs.projection.js';
import { ChangeRigCommand } from './change-rig.handler.js';
import { FLEET_TIMES, type FleetTimes } from './fleet-times.js';
import { describeRig, isIdle, processOf } from './heard-rig.js';
import { WatchedRig } from './watched-rig.js';
import { type WorkerProcess, type WorkerRigCommand } from './worker-rig.decider.js';

const NAME = 'fleet.registrar';
/** The rigs of a fleet that are read at once; a read store returns no more. */
const RIGS_MAX = 10_000;

/**
 * Records in the log what the heartbeats of workers say, in the process that leads, so that several
 * gateways do not record it twice: who registers, who is lost, who returns, and once an hour a
 * summary. Repeats the order to drain until the worker obeys.
 */
@Injectable()
export class FleetRegistrar implements LeaderService {
  readonly #watched = new Map<string, WatchedRig>();
  /** The workers whose rig has another worker; each is logged once. */
  readonly #refused = growingCache<true>(RIGS_MAX);
  readonly #sending = new Set<Promise<void>>();
  #stopping = new AbortController();
  #listening: Promise<Listener | null> = Promise.resolve(null);
  #ticking: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #phase: RunnerStatus['phase'] = 'closed';
  #failure: string | null = null;

  constructor(
    @Inject(BUS) private readonly bus: Pick<Bus, 'listen' | 'publish'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
    @Inject(PROJECTIONS) private readonly projections: Pick<Projections, 'list'>,
    @Inject(FLEET_TIMES) private readonly times: FleetTimes,
    private readonly seal: TaskSeal,
    private readonly facts: ProcessFacts,
  ) {}

  start(sender: CommandSender): Promise<void> {
    if (!this.facts.sharesBus) {
      this.#phase = 'live';
      return Promise.resolve();
    }
    this.#stopping = new AbortController();
    this.#watched.clear();
    this.#refused.clear();
    this.#phase = 'starting';
    const { bus, logger } = this;
    const handle = (message: BusMessage): void => this.#hear(message, sender);
    const options = { bus, logger, topic: HEARTBEATS_TOPIC, handle };
    this.#listening = listenWhenReachable(options, this.#stopping.signal).then((listener) => {
      if (listener === null) return null;
      this.#phase = 'live';
      this.#ticking = setInterval(() => this.#tick(sender), this.times.heartbeatMs).unref();
      return listener;
    });
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await (await this.#listening)?.close();
    clearInterval(this.#ticking);
    await this.#looking;
    await Promise.all(this.#sending);
    this.#phase = 'closed';
  }

  status(): RunnerStatus {
    const failure = this.#failure;
    return { name: NAME, phase: this.#phase, position: 0n, failure, retryAt: null };
  }

  /** @throws ZodError for a message that is no heartbeat of a rig */
  #hear({ data }: BusMessage, sender: CommandSender): void {
    const heartbeat = WorkerHeartbeat.parse(data);
    // It cannot say yet what it can serve.
    if (heartbeat.status === 'starting') return;
    const process = processOf(heartbeat);
    const description = describeRig(heartbeat);
    const watched = this.#watchedBy(process);
    if (!watched) return;
    const nowMs = this.clock.now();
    watched.hear(heartbeat, nowMs);
    const idle = isIdle(heartbeat);
    const { summaryMs } = this.times;
    const span = watched.news(JSON.stringify([description, idle]), nowMs, summaryMs);
    if (!span) return;
    const summaryDueBefore = new Date(nowMs - summaryMs).toISOString();
    const report = { ...process, description, isIdle: idle, span, summaryDueBefore };
    const reportedAt = instant(this.clock);
    this.#send(sender, { type: 'ReportRig', data: { ...report, reportedAt } }, () =>
      watched.forget(),
    );
  }

  /** Null for a process that another one has replaced, and for a rig that another worker has. */
  #watchedBy(process: WorkerProcess): WatchedRig | null {
    const { rig, node, startedAt } = process;
    const known = this.#watched.get(rig);
    if (known?.node === node) {
      if (known.startedAt === startedAt) return known;
      if (known.startedAt > startedAt) return null;
    } else if (known && !known.isSilent(this.clock.now(), this.#silenceMs)) {
      if (!this.#refused.has(node)) {
        this.logger.warn({ rig, node }, 'a worker registers as a rig that another worker has');
      }
      this.#refused.set(node, true);
      return null;
    }
    const watched = new WatchedRig(process);
    this.#watched.set(rig, watched);
    return watched;
  }

  get #silenceMs(): number {
    return MISSED_HEARTBEATS_MAX * this.times.heartbeatMs;
  }

  #tick(sender: CommandSender): void {
    const nowMs = this.clock.now();
    for (const [rig, watched] of this.#watched) {
      if (!watched.isSilent(nowMs, this.#silenceMs)) continue;
      this.#watched.delete(rig);
      this.#send(sender, { type: 'MissRig', data: watched.missed(instant(this.clock)) }, () => {
        // The next tick tries again, unless it was heard meanwhile.
        if (!this.#watched.has(rig)) this.#watched.set(rig, watched);
      });
    }
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
  }

  /** Watches rigs that an earlier leader has registered, and repeats orders. Never rejects. */
  async #look(): Promise<void> {
    try {
      const { documents } = await this.projections.list(workerRigs, { limit: RIGS_MAX });
      for (const { document } of documents) {
        const { rig: known } = document;
        if (known?.presence !== 'up') continue;
        const { rig, node, startedAt } = known;
        const watched = this.#watched.get(rig) ?? new WatchedRig({ rig, node, startedAt });
        if (!this.#watched.has(rig)) {
          watched.expect(this.clock.now());
          this.#watched.set(rig, watched);
        }
        const worker = watched.takesTasks ? watched.worker : null;
        if (known.drain === 'none' || worker === null) continue;
        await orderDrain(this.bus, this.seal, { worker, startedAt });
      }
    } catch (error) {
      this.#failed(error, 'the rigs of the fleet could not be looked after');
    }
  }

  #send(sender: CommandSender, change: WorkerRigCommand, onFailed: () => void): void {
    const command = new ChangeRigCommand(change, contextOf(randomUUID(), 'system'));
    const sending = sender
      .execute(command)
      .then(() => {
        this.#failure = null;
      })
      .catch((error: unknown) => {
        if (!(error instanceof DomainError)) onFailed();
        this.#failed(error, 'a change of the fleet could not be recorded');
      })
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** A rejected report, such as a name that is taken, is no failure of this service. */
  #failed(error: unknown, message: string): void {
    this.logger.warn({ err: error }, message);
    if (error instanceof DomainError) return;
    this.#failure = error instanceof Error ? error.message : String(error);
  }
}
