import { defineArea } from '#platform/runtime/areas/area.js';
import { TraceExport } from './trace-export.js';
import { TracesModule } from './traces.module.js';
import { traceSettings } from './traces.settings.js';

export const tracesArea = defineArea({
  name: 'traces',
  settings: [traceSettings],
  leaderServices: [TraceExport],
  module: TracesModule,
});
