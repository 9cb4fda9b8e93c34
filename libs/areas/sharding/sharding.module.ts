import { Module } from '@nestjs/common';
import { keyedHasher } from '#platform/secrets/keyed-hasher.js';
import { type Secrets } from '#platform/secrets/secrets.js';
import { SECRETS } from '#platform/secrets/tokens.js';
import { PipelineAdmission } from './pipeline-admission.js';
import { PipelineChatStrategy } from './pipeline-chat.strategy.js';
import { PipelineMetrics } from './pipeline.metrics.js';
import { PipelineRunner } from './pipeline-runner.js';
import { PipelineRuns } from './pipeline-runs.js';
import { RunPipelineHandler } from './run-pipeline.handler.js';
import { TEXT_HASHER, type TextHasher } from './text-hasher.js';

const textHasher = {
  provide: TEXT_HASHER,
  inject: [SECRETS],
  useFactory: (secrets: Secrets): TextHasher => keyedHasher(secrets),
};

@Module({
  providers: [
    textHasher,
    PipelineAdmission,
    PipelineMetrics,
    PipelineRunner,
    PipelineRuns,
    PipelineChatStrategy,
    RunPipelineHandler,
  ],
  exports: [PipelineRuns],
})
export class ShardingModule {}
