import { Module } from '@nestjs/common';
import { ImportModelHandler } from './import-model.handler.js';
import { ModelReader } from './model-reader.js';

@Module({ providers: [ModelReader, ImportModelHandler] })
export class ModelsModule {}
