import { Module } from '@nestjs/common';
import { DataMovedHandler } from './data-moved.handler.js';
import { NodeSampler } from './node-sampler.js';
import { PlatformStatisticsHandler } from './platform-statistics.handler.js';
import { RecomputeStatisticsHandler } from './recompute-statistics.handler.js';
import { SampleNodeHandler } from './sample-node.handler.js';

@Module({
  providers: [
    DataMovedHandler,
    PlatformStatisticsHandler,
    RecomputeStatisticsHandler,
    SampleNodeHandler,
    NodeSampler,
  ],
  exports: [NodeSampler],
})
export class StatisticsModule {}
