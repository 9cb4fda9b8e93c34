import { z } from 'zod';
import { SettingsFile } from '#platform/runtime/areas/settings-file.js';

const ModelName = z.string().min(1).max(256);

const TranscriptionModel = z.strictObject({
  /** The name by which callers ask for it. */
  id: ModelName,
  /** The name that the server has for it; left out: the same. */
  upstream_id: ModelName.exactOptional(),
  /** Whether the server states times (`verbose_json`). */
  timestamps: z.boolean().default(true),
});
export type TranscriptionModel = z.infer<typeof TranscriptionModel>;

const SpeechModel = TranscriptionModel.omit({ timestamps: true });
export type SpeechModel = z.infer<typeof SpeechModel>;

const AudioUpstream = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/),
  /** The software of the server. */
  server: z.enum(['openai', 'vllm', 'whisper.cpp']),
  /** With the version in it, `https://api.openai.com/v1`; of whisper.cpp without one. */
  base_url: z.url({ protocol: /^https?$/ }),
  /** The environment variable that holds the key; left out: it needs none. */
  api_key_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .exactOptional(),
  /** Of whisper.cpp, where it was started with another one. */
  inference_path: z.string().startsWith('/').max(256).default('/inference'),
  transcription_models: z.array(TranscriptionModel).max(64).default([]),
  speech_models: z.array(SpeechModel).max(64).default([]),
});
export type AudioUpstream = z.infer<typeof AudioUpstream>;

const AudioUpstreamsFile = z.strictObject({ servers: z.array(AudioUpstream).max(16) });

/**
 * The servers that a file lists.
 * @throws SettingsError that names the field, or the variable of a key that is not set
 */
export const readAudioUpstreams = async (path: string): Promise<readonly AudioUpstream[]> => {
  const file = new SettingsFile('QUIPU_AUDIO_UPSTREAMS', path);
  const { servers } = await file.read(AudioUpstreamsFile);
  for (const [field, idsOf] of Object.entries({
    name: ({ name }: AudioUpstream) => [name],
    transcription_models: (one: AudioUpstream) => one.transcription_models.map(({ id }) => id),
    speech_models: (one: AudioUpstream) => one.speech_models.map(({ id }) => id),
  })) {
    const ids = servers.flatMap(idsOf);
    const twin = ids.find((id, index) => ids.indexOf(id) !== index);
    if (twin !== undefined) file.reject(`${field}: ${twin} is listed twice`);
  }
  for (const { name, api_key_env: variable, server, speech_models } of servers) {
    if (variable !== undefined && !process.env[variable]) {
      file.reject(`the server ${name} needs the variable ${variable}, which is not set`);
    }
    if (server === 'whisper.cpp' && speech_models.length > 0) {
      file.reject(`speech_models: whisper.cpp does not speak (${name})`);
    }
  }
  return servers;
};
