import { z } from 'zod';
import { GUIDANCE_MAX } from '../scenes.engine.js';

export const PROMPT_LENGTH_MAX = 4_000;
export const SDP_LENGTH_MAX = 32 * 1024;

const Prompt = {
  prompt: z.string().min(1).max(PROMPT_LENGTH_MAX).optional(),
  guidance_scale: z.number().min(1).max(GUIDANCE_MAX).optional(),
  noise_strength: z.number().min(0).max(1).optional(),
};

/** The messages of a client over the signalling connection. */
export const SignalMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('offer'), sdp: z.string().min(1).max(SDP_LENGTH_MAX) }),
  z.strictObject({
    type: z.literal('candidate'),
    candidate: z
      .looseObject({
        candidate: z.string().max(1_024),
        sdpMid: z.string().max(64).nullish(),
        sdpMLineIndex: z.int().min(0).max(64).nullish(),
      })
      .nullable(),
  }),
  z.strictObject({ type: z.literal('prompt'), ...Prompt }),
  z.strictObject({ type: z.literal('bye') }),
]);
export type SignalMessage = z.infer<typeof SignalMessage>;

/** The texts of a client over the data channel. Bytes are a picture to start from. */
export const ChannelMessage = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('echo'), frame_id: z.int().positive(), stamp_ms: z.number() }),
  z.strictObject({ type: z.literal('prompt'), ...Prompt }),
  z.strictObject({ type: z.literal('bye') }),
]);
export type ChannelMessage = z.infer<typeof ChannelMessage>;

export type PromptMessage = Extract<SignalMessage, { readonly type: 'prompt' }>;

/** The messages of the gateway: over the signalling connection, and notices over both. */
export type ServerMessage =
  | {
      readonly type: 'ready';
      readonly width: number;
      readonly height: number;
      readonly target_fps: number;
      readonly held_until: string;
      readonly expires_at: string;
      /** Whether frames wait for a prompt of the client. */
      readonly needs_prompt: boolean;
      /** The format of a video that an offer may ask for; null: ffmpeg is not here. */
      readonly video: 'vp8' | null;
    }
  | { readonly type: 'answer'; readonly sdp: string }
  /** The round trip of a ping over the signalling connection, after the client has answered it. */
  | { readonly type: 'ping'; readonly client_ping_ms: number }
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  /** The account cannot pay for another minute: the session ends then. */
  | { readonly type: 'notice'; readonly reason: 'funds'; readonly ends_at: string }
  /** The thread of the peers has ended; another offer continues the session. */
  | { readonly type: 'peer_lost' }
  | { readonly type: 'bye'; readonly reason: string };

/** Reads JSON. @returns the fault in words for a text that is no message */
export const readMessage = <Message>(
  schema: z.ZodType<Message>,
  text: string,
): { readonly message: Message } | { readonly fault: string } => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { fault: 'the message: expected JSON' };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { message: parsed.data };
  const [issue] = parsed.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  return { fault: `${path === '' ? 'the message' : path}: ${issue?.message ?? 'invalid'}` };
};
