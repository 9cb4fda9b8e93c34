import { Module } from '@nestjs/common';
import { HostEnergy } from './host-energy.js';
import { InferSpikesHandler } from './infer-spikes.handler.js';
import { SpikingAdmission } from './spiking-admission.js';
import { SpikingChatStrategy } from './chats/spiking-chat.strategy.js';
import { SpikingModels } from './spiking-models.js';
import { SpikingRunner } from './spiking-runner.js';
import { SubmitSpikingBatchHandler } from './batches/submit-spiking-batch.handler.js';
import { SpikingBatchItemsHandler } from './batches/spiking-batch.query.js';

@Module({
  providers: [
    HostEnergy,
    SpikingModels,
    SpikingAdmission,
    SpikingRunner,
    SpikingChatStrategy,
    InferSpikesHandler,
    SubmitSpikingBatchHandler,
    SpikingBatchItemsHandler,
  ],
  exports: [SpikingModels],
})
export class SpikingModule {}
