import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { UploadedModelsController } from './uploaded-models.controller.js';

@Module({ controllers: [UploadedModelsController], providers: [ApiGuard] })
export class ModelsHttpModule {}
