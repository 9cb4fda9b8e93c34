import { Module } from '@nestjs/common';
import { PipelineController } from './pipeline.controller.js';

@Module({ controllers: [PipelineController] })
export class PlacementHttpModule {}
