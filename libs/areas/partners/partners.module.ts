import { Module } from '@nestjs/common';
import { ChangeFleetHandler } from './change-fleet.handler.js';
import { JoinPartnerHandler, LeavePartnerHandler } from './change-membership.handler.js';
import { ChangePartnerHandler } from './change-partner.handler.js';
import { CreateSubUserHandler } from './create-sub-user.handler.js';
import { PartnerAccess } from './partner-access.js';
import { PartnerOverviewHandler, PartnersHandler } from './partner.queries.js';
import { PartnerStreams } from './partner-streams.js';
import { RegisterPartnerHandler } from './register-partner.handler.js';
import { SubUsersHandler } from './sub-users.handler.js';

/** Requires, besides the platform: `PartnerUsers`, which the composition root provides globally. */
@Module({
  providers: [
    PartnerStreams,
    PartnerAccess,
    RegisterPartnerHandler,
    ChangePartnerHandler,
    JoinPartnerHandler,
    LeavePartnerHandler,
    CreateSubUserHandler,
    ChangeFleetHandler,
    PartnerOverviewHandler,
    PartnersHandler,
    SubUsersHandler,
  ],
  exports: [PartnerAccess],
})
export class PartnersModule {}
