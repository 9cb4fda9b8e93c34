import { Module } from '@nestjs/common';
import { ModelsController } from './models.controller.js';
import { RatesController } from './rates.controller.js';

@Module({ controllers: [ModelsController, RatesController] })
export class CatalogHttpModule {}
