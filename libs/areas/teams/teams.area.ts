import { teamEvents } from '#events/teams/team.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { deploySaga } from '#platform/runtime/sagas/saga-deployment.js';
import { teams } from '#projections/teams/teams.projection.js';
import { EndTeamCommand } from './close-team.handlers.js';
import { teamClosingSaga } from './team-closing.saga.js';
import { teamsErrors } from './teams.errors.js';
import { TeamsModule } from './teams.module.js';

export const teamsArea = defineArea({
  name: 'teams',
  description: 'Teams and projects: sub-accounts with an allotment, members and invitations.',
  events: teamEvents,
  projections: [teams],
  sagas: [
    deploySaga(teamClosingSaga, {
      EndTeam: (data, context) => new EndTeamCommand(data, context),
    }),
  ],
  errors: teamsErrors,
  module: TeamsModule,
});
