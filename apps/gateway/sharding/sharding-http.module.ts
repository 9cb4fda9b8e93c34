import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { PipelineController } from './pipeline.controller.js';
import { PipelineSettler } from './pipeline.settler.js';

@Module({ controllers: [PipelineController], providers: [ApiGuard, PipelineSettler] })
export class ShardingHttpModule {}
