import { Module } from '@nestjs/common';
import { AllocateNodeShareHandler, EndNodeShareHandler } from './change-node-share.handler.js';
import { InvestorAccess } from './investor-access.js';
import {
  InvestorDashboardHandler,
  InvestorNodesHandler,
  InvestorRevenueHandler,
} from './investor.queries.js';
import { NodeStreams } from './node-streams.js';

/** Requires, besides the platform: `InvestorUsers`, which the composition root provides. */
@Module({
  providers: [
    NodeStreams,
    InvestorAccess,
    AllocateNodeShareHandler,
    EndNodeShareHandler,
    InvestorDashboardHandler,
    InvestorNodesHandler,
    InvestorRevenueHandler,
  ],
  exports: [InvestorAccess],
})
export class InvestorsModule {}
