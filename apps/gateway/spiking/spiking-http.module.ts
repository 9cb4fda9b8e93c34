import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { SpikingBatchesController } from './spiking-batches.controller.js';
import { SpikingController } from './spiking.controller.js';

@Module({
  controllers: [SpikingController, SpikingBatchesController],
  providers: [ApiGuard],
})
export class SpikingHttpModule {}
