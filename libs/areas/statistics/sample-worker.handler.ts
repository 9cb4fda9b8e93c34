import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type WorkerSampled, statisticsEvents } from '#events/statistics/worker.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type CommandContext } from '#platform/runtime/commands/command-context.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { NODE_ONLINE_MS } from './figures.js';
import { workerDecider, type WorkerState, type SampleWorker } from './worker.decider.js';
import { STATISTICS_SETTINGS, type StatisticsSettings } from './statistics.settings.js';

export class SampleWorkerCommand extends Command<void> {
  constructor(
    readonly data: WorkerSampled['data'],
    readonly context: CommandContext,
  ) {
    super();
  }
}

@CommandHandler(SampleWorkerCommand)
export class SampleWorkerHandler implements ICommandHandler<SampleWorkerCommand> {
  readonly #runner: CommandRunner<SampleWorker, WorkerState, WorkerSampled>;

  constructor(
    @Inject(EVENT_STORE) eventStore: EventStore,
    @Inject(CODEC) codec: EventCodec,
    @Inject(STATISTICS_SETTINGS) private readonly settings: StatisticsSettings,
  ) {
    const decider = workerDecider;
    this.#runner = new CommandRunner({ decider, eventStore, codec: codec.for(statisticsEvents) });
  }

  async execute({ data, context }: SampleWorkerCommand): Promise<void> {
    const beforeMs = (ms: number): string =>
      new Date(Date.parse(data.sampledAt) - ms).toISOString();
    const command: SampleWorker = {
      type: 'SampleWorker',
      data,
      telemetryDueBefore: beforeMs(this.settings.sampleEveryMs),
      // Twice in the time after which a silent node is no longer online.
      presenceDueBefore: beforeMs(NODE_ONLINE_MS / 2),
    };
    await this.#runner.run(`worker-${data.node}`, command, context);
  }
}
