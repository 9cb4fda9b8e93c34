import { Module } from '@nestjs/common';
import { AnswerRecorder } from './answer-recorder.js';
import { DataMovedHandler } from './data-moved.handler.js';
import { WorkerSampler } from './worker-sampler.js';
import { PlatformStatisticsHandler } from './platform-statistics.handler.js';
import { RecomputeStatisticsHandler } from './recompute-statistics.handler.js';
import { SampleWorkerHandler } from './sample-worker.handler.js';

@Module({
  providers: [
    AnswerRecorder,
    DataMovedHandler,
    PlatformStatisticsHandler,
    RecomputeStatisticsHandler,
    SampleWorkerHandler,
    WorkerSampler,
  ],
  exports: [AnswerRecorder, WorkerSampler],
})
export class StatisticsModule {}
