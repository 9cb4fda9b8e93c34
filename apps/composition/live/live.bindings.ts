import { type Provider } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { FrameEngine, LiveRigs } from '#areas/live/ports.js';
import { MeasuredRigs } from '#areas/rigs/measured-rigs.port.js';
import { ProcessFacts } from '#platform/runtime/process/process-facts.js';
import { Tasks } from '#platform/tasks/tasks.port.js';
import { WorkerDirectory } from '#platform/tasks/worker-directory.js';
import { FrameTasks } from './frame-tasks.binding.js';
import { DrawingRigs } from './drawing-rigs.binding.js';

export const bindings: readonly Provider[] = [
  {
    provide: LiveRigs,
    inject: [MeasuredRigs, WorkerDirectory, QueryBus, ProcessFacts],
    useFactory: (
      measured: MeasuredRigs,
      directory: WorkerDirectory,
      queries: QueryBus,
      { sharesBus }: ProcessFacts,
    ) => new DrawingRigs(measured, sharesBus ? directory : null, queries),
  },
  {
    provide: FrameEngine,
    inject: [Tasks, WorkerDirectory],
    useFactory: (tasks: Tasks, directory: WorkerDirectory) => new FrameTasks(tasks, directory),
  },
];
