import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { type TranscriptPart } from '#events/agents/agent-session.events.js';
import { isBlobGone } from '#platform/blobs/blobs.errors.js';
import { Blobs } from '#platform/blobs/blobs.port.js';

export const Goal = z.strictObject({ goal: z.string() });
export type Goal = z.infer<typeof Goal>;

/** The parsed answer of the planner. */
export const Plan = z.discriminatedUnion('action', [
  z.strictObject({
    action: z.literal('tool'),
    tool: z.string(),
    arguments: z.unknown(),
    /** The text of the answer beside the call. */
    text: z.string(),
  }),
  z.strictObject({ action: z.literal('answer'), answer: z.string() }),
  z.strictObject({
    action: z.literal('invalid'),
    /** Why it cannot be carried out; the planner sees it. */
    reason: z.string(),
    text: z.string(),
  }),
]);
export type Plan = z.infer<typeof Plan>;

/** The result of a call as the planner sees it. */
export const Observation = z.union([
  z.strictObject({ output: z.unknown() }),
  z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) }),
]);
export type Observation = z.infer<typeof Observation>;

/** Whose transcript. */
export interface TranscriptOwner {
  readonly userId: number;
  readonly sessionId: string;
}

/**
 * The parts of transcripts: JSON in blobs that the key of the user seals. A part is stored before
 * an event names it, and retained after; a part that no event names is swept.
 */
@Injectable()
export class Transcripts {
  constructor(private readonly blobs: Blobs) {}

  /** @throws BlobError, SubjectErasedError */
  async put(userId: number, value: Goal | Plan | Observation): Promise<TranscriptPart> {
    const content = Buffer.from(JSON.stringify(value), 'utf8');
    const { address } = await this.blobs.put(oncePiece(content), { owner: ownerOf(userId) });
    return { address, bytes: content.length };
  }

  /** @throws BlobError */
  async read<Value>(
    userId: number,
    { address }: TranscriptPart,
    schema: z.ZodType<Value>,
  ): Promise<Value> {
    const { content } = await this.blobs.open({ address, owner: ownerOf(userId) });
    const text = Buffer.concat(await Array.fromAsync(content)).toString('utf8');
    return schema.parse(JSON.parse(text));
  }

  /** Null for a part that is no longer kept, or whose user was erased. */
  async find<Value>(
    userId: number,
    part: TranscriptPart,
    schema: z.ZodType<Value>,
  ): Promise<Value | null> {
    return (await unlessGone(this.read(userId, part, schema))) ?? null;
  }

  async keep({ userId, sessionId }: TranscriptOwner, { address }: TranscriptPart): Promise<void> {
    const ref = { address, owner: ownerOf(userId) };
    await unlessGone(this.blobs.retain(ref, holderOf(sessionId)));
  }

  async release(
    { userId, sessionId }: TranscriptOwner,
    { address }: TranscriptPart,
  ): Promise<void> {
    const ref = { address, owner: ownerOf(userId) };
    await unlessGone(this.blobs.release(ref, holderOf(sessionId)));
  }
}

const ownerOf = (userId: number): string => `user:${userId}`;
const holderOf = (sessionId: string): string => `agent:${sessionId}`;

async function* oncePiece(content: Buffer): AsyncGenerator<Uint8Array, void, void> {
  yield await Promise.resolve(content);
}

const unlessGone = async <Found>(finding: Promise<Found>): Promise<Found | undefined> => {
  try {
    return await finding;
  } catch (error) {
    if (isBlobGone(error)) return undefined;
    throw error;
  }
};
