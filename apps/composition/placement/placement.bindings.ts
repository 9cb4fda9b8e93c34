import { type Provider } from '@nestjs/common';
import { PlacementRigs } from '#areas/placement/placement-rigs.port.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { OwnRig, WorkerRigs } from './placement-rigs.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: PlacementRigs,
    inject: [ProcessFacts, WorkerDirectory],
    useFactory: ({ sharesBus }: ProcessFacts, directory: WorkerDirectory) =>
      sharesBus ? new WorkerRigs(directory) : new OwnRig(),
  },
];
