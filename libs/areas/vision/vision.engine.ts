import { z } from 'zod';
import { Tracker } from '#engines/vision/tracking/tracker.js';
import { VISION_FAILURES } from '#engines/vision/vision.errors.js';
import {
  FRAME_SIDE,
  type SeenObject,
  VISION_MODES,
  VisionEnd,
  type VisionMode,
  VisionTask,
} from '#engines/vision/vision.protocol.js';
import { defineEngine, type Engine } from '#platform/tasks/engine.js';

export {
  FRAME_SIDE,
  type SeenObject,
  Tracker,
  VISION_MODES,
  type VisionEnd,
  type VisionMode,
  type VisionTask,
};

/** Looks at frames: one frame is one task. */
export const visionEngine = defineEngine<VisionTask, never, VisionEnd>({
  name: 'vision',
  input: VisionTask,
  piece: z.never(),
  end: VisionEnd,
  tasksMax: { worker: 32, inProcess: 64 },
  failures: VISION_FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async ({ modelFolders }): Promise<Engine<VisionTask, never, VisionEnd>> => {
    const { VisionEngine } = await import('#engines/vision/vision.engine.js');
    const { visionFolderIn } = await import('#engines/vision/vision-model.js');
    const engine = new VisionEngine(modelFolders);
    const ready = visionFolderIn(modelFolders) !== undefined;
    return {
      async *run(task, signal) {
        return engine.run(task, signal);
      },
      status: () => ({
        ready,
        reasons: ready ? [] : ['there is no vision model'],
        facts: { frames: engine.tasks },
      }),
      close: () => engine.close(),
    };
  },
});
