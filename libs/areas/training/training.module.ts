import { Module } from '@nestjs/common';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { ownModelProviders } from './own-models.providers.js';

@Module({
  providers: [...ownModelProviders],
  exports: [OwnModels, OwnModelFiles],
})
export class TrainingModule {}
