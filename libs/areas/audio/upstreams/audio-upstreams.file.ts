import { z } from 'zod';
import { SettingsFile } from '#platform/runtime/areas/settings-file.js';
import {
  modelsOf,
  readUpstreams,
  UpstreamModel,
  UpstreamServer,
} from '#platform/runtime/areas/upstreams-file.js';

const TranscriptionModel = UpstreamModel.extend({
  /** Whether the server states times (`verbose_json`). */
  timestamps: z.boolean().default(true),
});

/** The base of whisper.cpp has no version in it. */
const AudioUpstream = UpstreamServer.extend({
  /** The software of the server. */
  server: z.enum(['openai', 'vllm', 'whisper.cpp']),
  /** Of whisper.cpp, where it was started with another one. */
  inference_path: z.string().startsWith('/').max(256).default('/inference'),
  transcription_models: modelsOf(TranscriptionModel),
  speech_models: modelsOf(UpstreamModel),
});
export type AudioUpstream = z.infer<typeof AudioUpstream>;

/**
 * The servers that a file lists.
 * @throws SettingsError
 */
export const readAudioUpstreams = async (path: string): Promise<readonly AudioUpstream[]> => {
  const file = new SettingsFile('QUIPU_AUDIO_UPSTREAMS', path);
  const lists = ['transcription_models', 'speech_models'] as const;
  const servers = await readUpstreams(file, AudioUpstream, lists);
  for (const { name, server, speech_models } of servers) {
    if (server === 'whisper.cpp' && speech_models.length > 0) {
      file.reject(`speech_models: whisper.cpp does not speak (${name})`);
    }
  }
  return servers;
};
