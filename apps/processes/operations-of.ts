import { type DynamicModule, type Type } from '@nestjs/common';
import { type Area } from '#platform/runtime/areas/area.js';
import { type MetricsSource, type ReadinessCheck } from '#platform/runtime/areas/operations.js';
import { TasksLifecycle } from '../composition/tasks.lifecycle.js';
import { type OperationsSettings } from '../operations/operations-access.js';
import { OperationsModule } from '../operations/operations.module.js';
import { RuntimeMetrics } from '../operations/runtime.metrics.js';
import { RuntimeReadiness } from '../operations/runtime.readiness.js';

/**
 * Health and metrics of a process that runs areas: of the runtime, the tasks, the process and the
 * areas.
 * @param own global providers of the process
 * @param checks further ones, which have no metrics
 */
export const operationsOf = (
  areas: readonly Area[],
  settings: OperationsSettings,
  own: readonly Type<ReadinessCheck & MetricsSource>[] = [],
  checks: readonly Type<ReadinessCheck>[] = [],
): DynamicModule =>
  OperationsModule.of({
    settings,
    providers: [RuntimeReadiness, RuntimeMetrics],
    readiness: [
      RuntimeReadiness,
      TasksLifecycle,
      ...own,
      ...checks,
      ...areas.flatMap(({ readiness }) => readiness),
    ],
    metrics: [RuntimeMetrics, ...own, ...areas.flatMap(({ metrics }) => metrics)],
  });
