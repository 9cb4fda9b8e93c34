import { z } from 'zod';
import { openBox, sealBox, SealBrokenError } from '#platform/secrets/sealed-box.js';

/** The purpose under which both sides derive their key from the master key. */
export const TASK_KEY_PURPOSE = 'worker-tasks';

const SealedBody = z.strictObject({ sealed: z.base64() });
type SealedBody = z.infer<typeof SealedBody>;

/** Brokers keep the messages that pass through them, and no prompt may be readable there. */
export class TaskSeal {
  /** @param key 32 bytes */
  constructor(private readonly key: Buffer) {}

  /**
   * @param place what the body belongs to; it opens only with the same text
   * @param json the body as JSON
   */
  seal(place: string, json: string): SealedBody {
    return { sealed: sealBox(this.key, place, Buffer.from(json, 'utf8')).toString('base64') };
  }

  /** @throws SealBrokenError, also for a body that was sealed well and has another schema */
  open<Content>(place: string, data: unknown, schema: z.ZodType<Content>): Content {
    const body = SealedBody.safeParse(data);
    if (!body.success) throw new SealBrokenError('not a sealed body');
    const plain = openBox(this.key, place, Buffer.from(body.data.sealed, 'base64'));
    const content = schema.safeParse(JSON.parse(plain.toString('utf8')));
    if (content.success) return content.data;
    throw new SealBrokenError('another version sealed this body', { cause: content.error });
  }
}
