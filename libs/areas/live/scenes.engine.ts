/** The embedded model, as the frames of a session use it. The area images declares its engine. */
export {
  GUIDANCE_MAX,
  IMAGE_SIDE,
  type ImageEnd,
  type ImageTask,
  SEED_MAX,
} from '#engines/image-diffusion/image-diffusion.protocol.js';
export {
  type ReadPrompt,
  readPrompt,
  sceneOf,
} from '#engines/image-diffusion/prompt/prompt-reader.js';
