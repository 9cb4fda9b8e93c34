import { type Provider } from '@nestjs/common';
import { type Logger } from 'pino';
import { PlacedAdapters } from '#areas/adapters/placed-adapters.js';
import { Catalog } from '#areas/catalog/catalog.js';
import { AttemptRecorder } from '#areas/costs/attempt-recorder.js';
import { createEmbeddingRunner } from '#areas/embeddings/embeddings-over-tasks.js';
import { ChatAdapters } from '#areas/inference/chat-adapters.js';
import { BATCH_RIG_PERCENT, RIG_WEIGHTS } from '#areas/inference/inference.settings.js';
import { MODEL_CATALOG, RIGS } from '#areas/inference/ports.js';
import { type ChoiceWeights } from '#areas/inference/rigs/rig-choice.js';
import { createTextEngine } from '#areas/inference/text/text-over-tasks.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { LOGGER } from '#platform/runtime/tokens.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { VaultChatAdapters } from './chat-adapters.binding.js';
import { ChatModels } from './chat-models.binding.js';
import { type EmbeddedEngines } from './embedded-embeddings.js';
import { recordOf } from './rig-costs.js';
import { PinnedWorkers } from './pinned-workers.binding.js';
import { bindRigs } from './rigs.binding.js';

/** The engines of embedded rigs, here or on workers. */
const enginesOver = (tasks: Tasks): EmbeddedEngines => ({
  ...createTextEngine(tasks),
  ...createEmbeddingRunner(tasks),
});

export const bindings: readonly Provider[] = [
  {
    provide: MODEL_CATALOG,
    inject: [Catalog],
    useFactory: (catalog: Catalog) => new ChatModels(catalog),
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
    ) =>
      bindRigs(catalog, enginesOver(tasks), logger, {
        batchPercent,
        region,
        weights,
        ...(recorder && {
          onAttempt: (attempt) => recorder.record(recordOf(attempt)),
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
];
