import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { TaskRunners } from './task-runners.js';
import { WorkerHealth } from './worker-health.js';
import { WorkerMetrics } from './worker-metrics.js';

@Module({})
export class WorkerModule {
  /** @param tasks a controller for the topics of each engine */
  static of(
    tasks: readonly Type[],
    runners: TaskRunners,
    metrics: WorkerMetrics,
    health: WorkerHealth,
  ): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [...tasks, HealthController, MetricsController],
      providers: [
        { provide: TaskRunners, useValue: runners },
        { provide: WorkerMetrics, useValue: metrics },
        { provide: WorkerHealth, useValue: health },
      ],
    };
  }
}
