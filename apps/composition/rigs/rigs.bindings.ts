import { type Provider } from '@nestjs/common';
import { Catalog } from '#areas/catalog/catalog.js';
import { BATCH_RIG_PERCENT } from '#areas/inference/inference.settings.js';
import { RIGS } from '#areas/inference/ports.js';
import { type RigRouter } from '#areas/inference/rigs/rig-router.js';
import { MeasuredRigs } from '#areas/rigs/measured-rigs.port.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { RoutedRigs } from './measured-rigs.binding.js';
import { MeasuredWorkers } from './measured-workers.js';

export const bindings: readonly Provider[] = [
  {
    provide: MeasuredRigs,
    inject: [Catalog, RIGS, BATCH_RIG_PERCENT, ProcessFacts, WorkerDirectory],
    useFactory: (
      catalog: Catalog,
      router: RigRouter,
      batchPercent: number,
      { sharesBus }: ProcessFacts,
      directory: WorkerDirectory,
    ) => {
      const workers = new MeasuredWorkers(directory, () => catalog.models(), batchPercent);
      return new RoutedRigs(catalog, router, batchPercent, sharesBus ? workers : undefined);
    },
  },
];
