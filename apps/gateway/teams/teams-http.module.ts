import { Module } from '@nestjs/common';
import { IdentityHttpModule } from '../identity/identity-http.module.js';
import { MembersController } from './members.controller.js';
import { TeamKeysController } from './team-keys.controller.js';
import { TeamsController } from './teams.controller.js';

/** The guard of its routes for keys counts failed attempts, with identity's routes. */
@Module({
  imports: [IdentityHttpModule],
  controllers: [MembersController, TeamsController, TeamKeysController],
})
export class TeamsHttpModule {}
