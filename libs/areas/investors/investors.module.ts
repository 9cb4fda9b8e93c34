import { Module } from '@nestjs/common';
import { AllocateRigShareHandler, EndRigShareHandler } from './change-rig-share.handler.js';
import { InvestorAccess } from './investor-access.js';
import {
  InvestorDashboardHandler,
  InvestorRigsHandler,
  InvestorRevenueHandler,
} from './investor.queries.js';
import { RigShareStreams } from './rig-share-streams.js';

/** Requires, besides the platform: `InvestorUsers`, which the composition root provides. */
@Module({
  providers: [
    RigShareStreams,
    InvestorAccess,
    AllocateRigShareHandler,
    EndRigShareHandler,
    InvestorDashboardHandler,
    InvestorRigsHandler,
    InvestorRevenueHandler,
  ],
  exports: [InvestorAccess],
})
export class InvestorsModule {}
