import { Module } from '@nestjs/common';
import { ApiGuard } from '../identity/api.guard.js';
import { SpikingBatchesController } from './spiking-batches.controller.js';
import { SpikingController } from './spiking.controller.js';
import { SpikingSettler } from './spiking.settler.js';

@Module({
  controllers: [SpikingController, SpikingBatchesController],
  providers: [ApiGuard, SpikingSettler],
})
export class SpikingHttpModule {}
