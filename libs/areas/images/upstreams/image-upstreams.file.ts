import { z } from 'zod';
import { SettingsFile } from '#platform/runtime/areas/settings-file.js';
import {
  modelsOf,
  readUpstreams,
  UpstreamModel,
  UpstreamServer,
} from '#platform/runtime/areas/upstreams-file.js';

const ImageUpstream = UpstreamServer.extend({
  /** The software of the server. */
  server: z.enum(['openai', 'automatic1111', 'comfyui', 'triton']),
  image_models: modelsOf(UpstreamModel),
});
export type ImageUpstream = z.infer<typeof ImageUpstream>;

/**
 * The servers that a file lists.
 * @throws SettingsError
 */
export const readImageUpstreams = (path: string): Promise<readonly ImageUpstream[]> =>
  readUpstreams(new SettingsFile('QUIPU_IMAGE_UPSTREAMS', path), ImageUpstream, ['image_models']);
