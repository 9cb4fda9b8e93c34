import { Module } from '@nestjs/common';
import { OwnModelFiles } from '#platform/own-models/own-model-files.js';
import { OwnModels } from '#platform/own-models/own-models.js';
import { ownModelProviders } from './own-models.providers.js';
import { SubmitTrainingHandler, TrainingStreams } from './submit-training.handler.js';
import { TrainingEventsHandler } from './training-events.query.js';
import { TrainingRunner } from './training-runner.js';
import { TrainingTexts } from './training-texts.js';

@Module({
  providers: [
    ...ownModelProviders,
    TrainingTexts,
    TrainingStreams,
    TrainingRunner,
    SubmitTrainingHandler,
    TrainingEventsHandler,
  ],
  exports: [OwnModels, OwnModelFiles],
})
export class TrainingModule {}
