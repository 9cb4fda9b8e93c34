import { type DynamicModule, type InjectionToken, Module, type Provider } from '@nestjs/common';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { type MetricsSource, type ReadinessCheck } from '#platform/runtime/areas/operations.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import {
  OPERATIONS_SETTINGS,
  OperationsAccess,
  type OperationsSettings,
} from './operations-access.js';
import { METRICS_SOURCES, OperationsReports } from './operations-reports.js';
import { OperationsServer } from './operations.server.js';
import { READINESS_CHECKS, Readiness } from './readiness.js';

export interface Operations {
  /** The checks and sources that no other module provides. */
  readonly providers: readonly Provider[];
  /** The checks of `/health/ready`, in this order. */
  readonly readiness: readonly InjectionToken<ReadinessCheck>[];
  /** Updated before each scrape of `/metrics`. */
  readonly metrics: readonly InjectionToken<MetricsSource>[];
  readonly settings: OperationsSettings;
}

/**
 * `/health/live`, `/health/ready` and `/metrics`, the same in every process. A global module of the
 * process provides a `Registry`, and every listed check and source that is not among `providers`.
 */
@Module({})
export class OperationsModule {
  static of({ providers, readiness, metrics, settings }: Operations): DynamicModule {
    return {
      module: OperationsModule,
      global: true,
      controllers: [HealthController, MetricsController],
      providers: [
        ...providers,
        Readiness,
        { provide: READINESS_CHECKS, inject: [...readiness], useFactory: listed },
        { provide: METRICS_SOURCES, inject: [...metrics], useFactory: listed },
        { provide: OPERATIONS_SETTINGS, useValue: settings },
        { provide: OperationsAccess, useValue: new OperationsAccess(settings) },
        OperationsReports,
        OperationsServer,
      ],
      exports: [Readiness, OperationsServer, OperationsReports],
    };
  }

  constructor(registry: Registry) {
    collectDefaultMetrics({ register: registry });
  }
}

const listed = <Part>(...parts: readonly Part[]): readonly Part[] => parts;
