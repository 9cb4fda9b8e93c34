import { Module } from '@nestjs/common';
import { AreaModels } from './area-models.js';
import { ModelsController } from './models.controller.js';
import { RatesController } from './rates.controller.js';

@Module({ controllers: [ModelsController, RatesController], providers: [AreaModels] })
export class CatalogHttpModule {}
