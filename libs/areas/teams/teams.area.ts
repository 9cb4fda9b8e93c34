import { teamEvents } from '#events/teams/team.events.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { teams } from '#projections/teams/teams.projection.js';
import { teamsErrors } from './teams.errors.js';
import { TeamsModule } from './teams.module.js';

export const teamsArea = defineArea({
  name: 'teams',
  description: 'Teams and projects: sub-accounts with an allotment, members and invitations.',
  events: teamEvents,
  projections: [teams],
  errors: teamsErrors,
  module: TeamsModule,
});
