/**
 * A worker or a projector of a fleet with the area `weaving`, in a process that a spec kills. Node
 * runs this file without a build, on the built processes, so it is erasable TypeScript.
 */
import 'reflect-metadata';
import { areas as shipped } from '#apps/composition/areas.js';
import { readSettings } from '#apps/composition/settings.js';
import { startProjector } from '#apps/processes/projector.process.js';
import { startWorkerProcess } from '#apps/processes/worker.process.js';
import { type Area } from '#platform/runtime/areas/area.js';
import { pino } from 'pino';

// The compiler takes no `.ts` in an import, and Node takes nothing else.
const source = new URL('weaving.area.ts', import.meta.url).href;
const { weavingArea } = (await import(source)) as { readonly weavingArea: Area };

const areas = [...shipped, weavingArea];
const settings = readSettings(process.env, areas);
const logger = pino({ level: settings.logLevel });
const member = await (process.argv[2] === 'worker'
  ? startWorkerProcess(settings, logger, areas)
  : startProjector(settings, logger, { areas }));
process.once('SIGTERM', () => void member.stop());
process.stdout.write(`ready at ${member.url}\n`);
