import { type Provider } from '@nestjs/common';
import { type Logger } from 'pino';
import { PlacedAdapters } from '#areas/adapters/placed-adapters.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { AttemptRecorder } from '#areas/costs/attempt-recorder.js';
import { createEmbeddingRunner } from '#areas/embeddings/embeddings-over-tasks.js';
import { Guards } from '#areas/guards/guards.js';
import { ChatAdapters } from '#areas/inference/chat-adapters.js';
import { BATCH_RIG_PERCENT, RIG_WEIGHTS } from '#areas/inference/inference.settings.js';
import { MODEL_CATALOG, RIGS } from '#areas/inference/ports.js';
import { type ChoiceWeights } from '#areas/inference/rigs/choice/rig-choice.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { ChatGuards } from '#platform/chats/chat-guards.port.js';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { VaultChatAdapters } from './chat-adapters.binding.js';
import { ChatModels } from './chat-models.binding.js';
import { type EmbeddedEngines } from './embedded-embeddings.js';
import { type FurtherModels } from './embedded-models.js';
import { PinnedWorkers } from './pinned-workers.binding.js';
import { bindRigs } from './rigs.binding.js';

/** The engines of embedded rigs, here or on workers. */
const enginesOver = (tasks: Tasks): EmbeddedEngines => ({
  ...createTextEngine(tasks),
  ...createEmbeddingRunner(tasks),
});

/** Requests are admitted by the account: behind that, a model is found by its name alone. */
const modelsOfAccounts = (own: OwnModels, files: OwnModelFiles): FurtherModels => ({
  has: (name) => own.ofName(name) !== undefined,
  fileOf: (name) => {
    const model = own.ofName(name);
    return model && files.pathOf(model);
  },
});

export const bindings: readonly Provider[] = [
  {
    provide: MODEL_CATALOG,
    inject: [Catalog, { token: OwnModels, optional: true }],
    useFactory: (catalog: Catalog, own?: OwnModels) => new ChatModels(catalog, own),
  },
  {
    provide: RIGS,
    inject: [
      Catalog,
      Tasks,
      BATCH_RIG_PERCENT,
      RIG_WEIGHTS,
      LOGGER,
      ProcessFacts,
      WorkerDirectory,
      { token: AttemptRecorder, optional: true },
      { token: OwnModels, optional: true },
      { token: OwnModelFiles, optional: true },
    ],
    useFactory: (
      catalog: Catalog,
      tasks: Tasks,
      batchPercent: number,
      weights: ChoiceWeights,
      logger: Logger,
      { region, sharesBus }: ProcessFacts,
      directory: WorkerDirectory,
      recorder?: AttemptRecorder,
      own?: OwnModels,
      files?: OwnModelFiles,
    ) =>
      bindRigs(catalog, enginesOver(tasks), logger, {
        batchPercent,
        region,
        weights,
        ...(own && files && { further: modelsOfAccounts(own, files) }),
        ...(recorder && {
          onAttempt: (attempt) => {
            recorder.record(attempt);
          },
        }),
        ...(sharesBus && {
          workersFor: (models) =>
            new PinnedWorkers(directory, tasks, models, { region, batchPercent }),
        }),
      }),
  },
  {
    provide: ChatAdapters,
    inject: [{ token: PlacedAdapters, optional: true }],
    useFactory: (placed?: PlacedAdapters) => new VaultChatAdapters(placed),
  },
  {
    provide: ChatGuards,
    inject: [{ token: Guards, optional: true }],
    useFactory: (guards?: Guards): ChatGuards => guards ?? { of: () => undefined },
  },
];
