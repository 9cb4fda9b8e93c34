/** All tasks with labelled examples. */
import { counts } from './counts.task.js';
import { digits } from './digits.task.js';
import { entities } from './entities.task.js';
import { fewShot } from './few-shot.task.js';
import { glyphs } from './glyphs.task.js';
import { graphFamilies } from './graph-families.task.js';
import { heatReadings } from './heat.task.js';
import { motion } from './motion.task.js';
import { oscillators } from './oscillators.task.js';
import { nestedRings, spirals } from './points.task.js';
import { relations } from './relations.task.js';
import { sensorEvents } from './sensor-events.task.js';
import { shapes16, shapes8 } from './shapes.task.js';
import { solids } from './solids.task.js';
import { spectra } from './spectra.task.js';
import { spikeTemplates } from './spike-templates.task.js';
import type { ClassificationTask } from './task.js';
import { textures } from './textures.task.js';
import { traffic } from './traffic.task.js';
import { waveforms } from './waveforms.task.js';

/**
 * Two networks learn otherwise and are missing: the actor-critic acts in `cart-pole.ts`, and the
 * language model reads `prose.ts`.
 */
export const TASKS: readonly ClassificationTask[] = [
  shapes16,
  motion,
  textures,
  sensorEvents,
  relations,
  spikeTemplates,
  graphFamilies,
  spirals,
  waveforms,
  shapes8,
  nestedRings,
  heatReadings,
  traffic,
  glyphs,
  fewShot,
  oscillators,
  solids,
  entities,
  digits,
  spectra,
  counts,
];
