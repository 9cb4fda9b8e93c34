import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { PipelineController } from './pipeline.controller.js';

@Module({ controllers: [PipelineController], providers: [ApiGuard] })
export class ShardingHttpModule {}
