import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type TranscriptPart } from '#events/agents/agent-session.events.js';
import { type Turn } from '../planning/planner.protocol.js';
import { type StartedSession } from './agent-session.state.js';
import { Goal, Observation, Plan, Transcripts } from './transcript.js';
import { type z } from 'zod';

/** Parts of open sessions that this process need not read again. */
const PARTS_CACHED_MAX = 1_000;

/** The past of a session as the planner sees it. */
@Injectable()
export class SessionMemory {
  readonly #parts = new LRUCache<string, Goal | Plan | Observation>({ max: PARTS_CACHED_MAX });

  constructor(private readonly transcripts: Transcripts) {}

  async goalOf({ started }: StartedSession): Promise<string> {
    return (await this.#read(started.userId, started.goal, Goal)).goal;
  }

  planOf({ started }: StartedSession, part: TranscriptPart): Promise<Plan> {
    return this.#read(started.userId, part, Plan);
  }

  turnsOf({ started, steps }: StartedSession): Promise<readonly Turn[]> {
    const { userId } = started;
    return Promise.all(
      steps.map(async ({ planned, returned }): Promise<Turn> => ({
        plan: await this.#read(userId, planned.plan, Plan),
        observation: returned && (await this.#read(userId, returned.observation, Observation)),
        callId: planned.callId,
      })),
    );
  }

  async put(userId: number, value: Plan | Observation): Promise<TranscriptPart> {
    const part = await this.transcripts.put(userId, value);
    this.#parts.set(part.address, value);
    return part;
  }

  async #read<Value extends Goal | Plan | Observation>(
    userId: number,
    part: TranscriptPart,
    schema: z.ZodType<Value>,
  ): Promise<Value> {
    const known = this.#parts.get(part.address);
    if (known !== undefined) return schema.parse(known);
    const value = await this.transcripts.read(userId, part, schema);
    this.#parts.set(part.address, value);
    return value;
  }
}
