import { Module } from '@nestjs/common';
import { AreaModels } from './area-models.js';
import { ModelsController } from './models.controller.js';
import { PriceProposalsController } from './price-proposals.controller.js';
import { RatesController } from './rates.controller.js';

@Module({
  controllers: [ModelsController, PriceProposalsController, RatesController],
  providers: [AreaModels],
})
export class CatalogHttpModule {}
