import { Module } from '@nestjs/common';
import { CatalogModule } from '#areas/catalog/catalog.module.js';
import { ModelsController } from './models.controller.js';
import { RatesController } from './rates.controller.js';

@Module({ imports: [CatalogModule], controllers: [ModelsController, RatesController] })
export class CatalogHttpModule {}
