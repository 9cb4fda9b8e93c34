import { Module } from '@nestjs/common';
import { teamEvents } from '#events/teams/team.events.js';
import { type EventStore } from '#platform/event-store/event-store.port.js';
import { CommandRunner } from '#platform/runtime/commands/command-runner.js';
import { type EventCodec } from '#platform/runtime/commands/event-codec.js';
import { CODEC, EVENT_STORE } from '#platform/runtime/tokens.js';
import { AllotHandler } from './allot.handlers.js';
import { CloseTeamHandler, EndTeamHandler } from './close-team.handlers.js';
import { CreateTeamHandler } from './create-team.handler.js';
import {
  AcceptInvitationHandler,
  InviteMemberHandler,
  WithdrawInvitationHandler,
} from './invitations.handlers.js';
import {
  ApplyTeamRulesHandler,
  ChangeMemberRoleHandler,
  RemoveMemberHandler,
} from './members.handlers.js';
import { TeamAccessHandler } from './team-access.query.js';
import { teamDecider } from './team.decider.js';
import {
  AccountsAboveHandler,
  TeamHandler,
  TeamsBelowHandler,
  TeamsHandler,
} from './team.queries.js';
import { TEAM_RUNNER, type TeamRunner, Teams } from './teams.js';

const runner = {
  provide: TEAM_RUNNER,
  inject: [EVENT_STORE, CODEC],
  useFactory: (eventStore: EventStore, codec: EventCodec): TeamRunner =>
    new CommandRunner({ decider: teamDecider, eventStore, codec: codec.for(teamEvents) }),
};

/** Requires, besides the platform: `SECRETS` and `TeamAccounts`. */
@Module({
  providers: [
    runner,
    Teams,
    AcceptInvitationHandler,
    AccountsAboveHandler,
    AllotHandler,
    ApplyTeamRulesHandler,
    ChangeMemberRoleHandler,
    CloseTeamHandler,
    CreateTeamHandler,
    EndTeamHandler,
    InviteMemberHandler,
    RemoveMemberHandler,
    TeamAccessHandler,
    TeamHandler,
    TeamsBelowHandler,
    TeamsHandler,
    WithdrawInvitationHandler,
  ],
})
export class TeamsModule {}
