import { z } from 'zod';
import { openBox, sealBox, SealBrokenError } from '#platform/secrets/sealed-box.js';

/** The purpose under which both sides derive their key from the master key. */
export const TASK_KEY_PURPOSE = 'worker-tasks';

const SealedBody = z.strictObject({ sealed: z.base64() });
type SealedBody = z.infer<typeof SealedBody>;

/** Brokers keep what passes through them, and nobody's prompt may lie there to be read. */
export class TaskSeal {
  /** @param key 32 bytes */
  constructor(private readonly key: Buffer) {}

  /** @param place what the body belongs to; it opens only beside the same words */
  seal(place: string, content: unknown): SealedBody {
    const plain = Buffer.from(JSON.stringify(content), 'utf8');
    return { sealed: sealBox(this.key, place, plain).toString('base64') };
  }

  /** @throws SealBrokenError, also for what was sealed well and is not of the schema */
  open<Content>(place: string, data: unknown, schema: z.ZodType<Content>): Content {
    const body = SealedBody.safeParse(data);
    if (!body.success) throw new SealBrokenError('not a sealed body');
    const plain = openBox(this.key, place, Buffer.from(body.data.sealed, 'base64'));
    const content = schema.safeParse(JSON.parse(plain.toString('utf8')));
    if (content.success) return content.data;
    throw new SealBrokenError('another version sealed this body', { cause: content.error });
  }
}
