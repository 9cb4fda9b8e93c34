import { z } from 'zod';
import { openBox, sealBox, SealBrokenError } from '#platform/secrets/sealed-box.js';
import { CARRIED_JSON_BYTES_MAX } from './job.protocol.js';

/** The purpose under which processes derive the key of job messages from the master key. */
export const JOB_KEY_PURPOSE = 'job-messages';

export const SealedPart = z.strictObject({ sealed: z.base64() });
export type SealedPart = z.infer<typeof SealedPart>;

/** Brokers keep the messages that pass through them; no input or result is readable there. */
export class JobSeal {
  /** @param key 32 bytes */
  constructor(private readonly key: Buffer) {}

  /** @param place what the body belongs to; it opens only with the same text */
  seal(place: string, body: Buffer): SealedPart {
    return { sealed: sealBox(this.key, place, body).toString('base64') };
  }

  /** @throws SealBrokenError */
  open(place: string, data: unknown): Buffer {
    const body = SealedPart.safeParse(data);
    if (!body.success) throw new SealBrokenError('not a sealed body');
    return openBox(this.key, place, Buffer.from(body.data.sealed, 'base64'));
  }

  /** @throws SealBrokenError, also for a body that was sealed well and has another schema */
  openAs<Content>(place: string, data: unknown, schema: z.ZodType<Content>): Content {
    return contentOf(this.open(place, data), schema);
  }
}

/** A body in parts that each fit into a message. */
export const partsOf = (json: string): readonly Buffer[] => {
  const bytes = Buffer.from(json, 'utf8');
  const count = Math.max(1, Math.ceil(bytes.length / CARRIED_JSON_BYTES_MAX));
  return Array.from({ length: count }, (_, n) =>
    bytes.subarray(n * CARRIED_JSON_BYTES_MAX, (n + 1) * CARRIED_JSON_BYTES_MAX),
  );
};

/** @throws SealBrokenError for another schema */
export const contentOf = <Content>(body: Buffer, schema: z.ZodType<Content>): Content => {
  const content = schema.safeParse(JSON.parse(body.toString('utf8')));
  if (content.success) return content.data;
  throw new SealBrokenError('another version sealed this body', { cause: content.error });
};
