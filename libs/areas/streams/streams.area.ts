import { defineArea } from '#platform/runtime/areas/area.js';
import { streamErrors, streamFailures } from './streams.errors.js';
import { StreamsModule } from './streams.module.js';
import { eventStreamSettings, keepAliveSettings, streamSettings } from './streams.settings.js';

export const streamsArea = defineArea({
  name: 'streams',
  description: 'Streams of answers that a caller resumes after a lost connection.',
  module: StreamsModule,
  errors: streamErrors,
  failures: streamFailures,
  settings: [streamSettings, keepAliveSettings, eventStreamSettings],
});
