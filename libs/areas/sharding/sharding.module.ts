import { Module } from '@nestjs/common';
import { PipelineAdmission } from './pipeline-admission.js';
import { PipelineChatStrategy } from './pipeline-chat.strategy.js';
import { PipelineMetrics } from './pipeline.metrics.js';
import { PipelineRunner } from './pipeline-runner.js';
import { PipelineRuns } from './pipeline-runs.js';
import { RunPipelineHandler } from './run-pipeline.handler.js';

@Module({
  providers: [
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
