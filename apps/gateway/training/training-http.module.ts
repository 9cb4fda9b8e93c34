import { Module } from '@nestjs/common';
import { DistillationsController } from './distillations.controller.js';
import { FineTuningController } from './fine-tuning.controller.js';

@Module({ controllers: [DistillationsController, FineTuningController] })
export class TrainingHttpModule {}
