import { guardEvents } from '#events/guards/guard.events.js';
import { guardErrors } from '#platform/chats/chat-guards.port.js';
import { defineArea } from '#platform/runtime/areas/area.js';
import { GuardsModule } from './guards.module.js';
import { guardSettings } from './guards.settings.js';

export const guardsArea = defineArea({
  name: 'guards',
  description: 'Rules of the operator for the texts of chats.',
  events: guardEvents,
  errors: guardErrors,
  settings: [guardSettings],
  module: GuardsModule,
});
