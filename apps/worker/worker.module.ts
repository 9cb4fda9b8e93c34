import { type DynamicModule, Module } from '@nestjs/common';
import { MetricsController } from './metrics.controller.js';
import { TaskRunner } from './task-runner.js';
import { TasksController } from './tasks.controller.js';
import { WorkerHealth } from './worker-health.js';
import { HealthController } from './health.controller.js';
import { WorkerMetrics } from './worker-metrics.js';

@Module({})
export class WorkerModule {
  static of(runner: TaskRunner, metrics: WorkerMetrics, health: WorkerHealth): DynamicModule {
    return {
      module: WorkerModule,
      controllers: [TasksController, HealthController, MetricsController],
      providers: [
        { provide: TaskRunner, useValue: runner },
        { provide: WorkerMetrics, useValue: metrics },
        { provide: WorkerHealth, useValue: health },
      ],
    };
  }
}
