import { Module } from '@nestjs/common';
import { LogEventStreams } from '../sse/log-event-streams.js';
import { StreamEnds } from '../sse/stream-ends.js';
import { BundleEventsController } from './bundle-events.controller.js';
import { BundlesController } from './bundles.controller.js';
import { PlanController } from './plan.controller.js';
import { RemoteRequestsController } from './remote-requests.controller.js';

@Module({
  controllers: [
    BundlesController,
    BundleEventsController,
    PlanController,
    RemoteRequestsController,
  ],
  providers: [LogEventStreams, StreamEnds],
})
export class DtnHttpModule {}
