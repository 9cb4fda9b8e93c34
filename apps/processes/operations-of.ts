import { type DynamicModule, type Type } from '@nestjs/common';
import { type Area } from '#platform/runtime/area.js';
import { type MetricsSource, type ReadinessCheck } from '#platform/runtime/operations.js';
import { OperationsModule } from '../operations/operations.module.js';
import { RuntimeMetrics } from '../operations/runtime.metrics.js';
import { RuntimeReadiness } from '../operations/runtime.readiness.js';

/**
 * Health and metrics of a process that runs areas: those of the runtime, the process and the areas.
 * @param own global providers of the process
 */
export const operationsOf = (
  areas: readonly Area[],
  own: readonly Type<ReadinessCheck & MetricsSource>[] = [],
): DynamicModule =>
  OperationsModule.of({
    providers: [RuntimeReadiness, RuntimeMetrics],
    readiness: [RuntimeReadiness, ...own, ...areas.flatMap(({ readiness }) => readiness)],
    metrics: [RuntimeMetrics, ...own, ...areas.flatMap(({ metrics }) => metrics)],
  });
