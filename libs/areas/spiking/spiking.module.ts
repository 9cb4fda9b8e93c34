import { Module } from '@nestjs/common';
import { keyedHasher } from '#platform/secrets/keyed-hasher.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { HostEnergy } from './host-energy.js';
import { InferSpikesHandler } from './infer-spikes.handler.js';
import { INPUT_HASHER, type InputHasher } from './input-hasher.js';
import { SpikingAdmission } from './spiking-admission.js';
import { SpikingChatStrategy } from './chats/spiking-chat.strategy.js';
import { ListedNetworks } from './listed-networks.js';
import { SpikingModels } from './spiking-models.js';
import { SpikingRunner } from './spiking-runner.js';
import { SubmitSpikingBatchHandler } from './batches/submit-spiking-batch.handler.js';
import { SpikingBatchItemsHandler } from './batches/spiking-batch.query.js';

const inputHasher = {
  provide: INPUT_HASHER,
  inject: [SECRETS],
  useFactory: (secrets: Secrets): InputHasher => keyedHasher(secrets),
};

@Module({
  providers: [
    inputHasher,
    HostEnergy,
    SpikingModels,
    ListedNetworks,
    SpikingAdmission,
    SpikingRunner,
    SpikingChatStrategy,
    InferSpikesHandler,
    SubmitSpikingBatchHandler,
    SpikingBatchItemsHandler,
  ],
  exports: [SpikingModels, ListedNetworks],
})
export class SpikingModule {}
