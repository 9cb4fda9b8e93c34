import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { type Logger } from 'pino';
import { Blobs } from '#platform/blobs/blobs.port.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { type Clock } from '#platform/kernel/clock.js';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { SettleOwnModelContentHandler } from '#platform/own-models/own-model-content.handler.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { ProcessRole } from '#platform/runtime/process/process-role.js';
import { CLOCK, CODEC, EVENT_STORE, LOGGER } from '#platform/runtime/tokens.js';
import { TRAINING_SETTINGS, type TrainingSettings } from './training.settings.js';

/** Reads the models of accounts where callers are served or jobs run. */
@Injectable()
export class OwnModelsLifecycle implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly models: OwnModels,
    private readonly role: ProcessRole,
    private readonly facts: ProcessFacts,
  ) {}

  get #isNeeded(): boolean {
    return this.role.servesCallers || this.facts.runsReactions;
  }

  onApplicationBootstrap(): void {
    if (this.#isNeeded) this.models.start();
  }

  async onApplicationShutdown(): Promise<void> {
    if (this.#isNeeded) await this.models.stop();
  }
}

export const ownModelProviders: readonly Provider[] = [
  {
    provide: OwnModels,
    inject: [EVENT_STORE, CODEC, Blobs, CLOCK, LOGGER, TRAINING_SETTINGS],
    useFactory: (
      eventStore: EventStore,
      codec: EventCodec,
      blobs: Blobs,
      clock: Clock,
      logger: Logger,
      { ownModelsPollMs: pollMs }: TrainingSettings,
    ) =>
      new OwnModels({
        eventStore,
        codec,
        blobs,
        clock,
        logger,
        ...(pollMs !== undefined && { pollMs }),
      }),
  },
  {
    provide: OwnModelFiles,
    inject: [OwnModels, TRAINING_SETTINGS],
    useFactory: (models: OwnModels, { ownModelsFolder }: TrainingSettings) =>
      new OwnModelFiles(models, ownModelsFolder),
  },
  OwnModelsLifecycle,
  SettleOwnModelContentHandler,
];
