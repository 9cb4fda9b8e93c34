import { Module } from '@nestjs/common';
import { CatalogModule } from '#areas/catalog/catalog.module.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Readiness } from './readiness.js';

@Module({
  imports: [CatalogModule],
  controllers: [HealthController, MetricsController],
  providers: [Readiness],
})
export class OperationsHttpModule {}
