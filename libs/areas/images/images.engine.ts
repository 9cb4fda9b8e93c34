import { z } from 'zod';
import { IMAGE_FAILURES } from '#engines/image-diffusion/image-diffusion.errors.js';
import {
  GUIDANCE_MAX,
  IMAGE_SIDE,
  ImageEnd,
  ImageTask,
  SEED_MAX,
  STEPS_MAX,
} from '#engines/image-diffusion/image-diffusion.protocol.js';
import {
  type ReadPrompt,
  readPrompt,
  sceneOf,
} from '#engines/image-diffusion/prompt/prompt-reader.js';
import { revisedPrompt } from '#engines/image-diffusion/prompt/scene-description.js';
import { defineEngine, type Engine } from '#platform/tasks/engine.js';

export {
  GUIDANCE_MAX,
  IMAGE_SIDE,
  type ImageEnd,
  type ImageTask,
  type ReadPrompt,
  readPrompt,
  revisedPrompt,
  sceneOf,
  SEED_MAX,
  STEPS_MAX,
};

/** Draws pictures: one picture is one task. */
export const imagesEngine = defineEngine<ImageTask, never, ImageEnd>({
  name: 'image-diffusion',
  input: ImageTask,
  piece: z.never(),
  end: ImageEnd,
  tasksMax: { worker: 16, inProcess: 32 },
  failures: IMAGE_FAILURES,
  canRunHere: () => Promise.resolve(null),
  open: async ({ modelFolders }): Promise<Engine<ImageTask, never, ImageEnd>> => {
    const { ImageDiffusionEngine } =
      await import('#engines/image-diffusion/image-diffusion.engine.js');
    const { modelFolderIn } = await import('#engines/image-diffusion/model.js');
    const engine = new ImageDiffusionEngine(modelFolders);
    const ready = modelFolderIn(modelFolders) !== undefined;
    return {
      async *run(task, signal) {
        return engine.run(task, signal);
      },
      status: () => ({
        ready,
        reasons: ready ? [] : ['there is no image model'],
        facts: { pictures: engine.tasks },
      }),
      close: () => engine.close(),
    };
  },
});
