import { type Clock } from '#platform/kernel/clock.js';
import {
  type MeasuredRig,
  MeasuredRigs,
  type MeasuredUsage,
  type MeasuringChat,
  RigProblem,
} from './measured-rigs.port.js';

/** A clock that only the script moves. */
export class ManualClock implements Clock {
  #nowMs = 1_000;
  readonly now = (): number => this.#nowMs;

  advance(ms: number): void {
    this.#nowMs += ms;
  }
}

/** How the rig behaves. */
export interface RigScript {
  /** Before the first piece of the n-th answer, counted from 0. */
  readonly firstMsOf: (answer: number) => number;
  readonly pieceMs: number;
  readonly piecesOf: (chat: MeasuringChat, answer: number) => readonly string[];
  readonly usageOf: (pieces: readonly string[], answer: number) => MeasuredUsage;
  /** Null: it cannot list its models. */
  readonly listed: readonly string[] | null;
}

/** 10 ms to the first piece, then 4 ms for each of 20 tokens. */
export const STEADY: RigScript = {
  firstMsOf: () => 10,
  pieceMs: 4,
  piecesOf: ({ outputTokens }) => Array.from({ length: Math.min(outputTokens, 20) }, () => 'x '),
  usageOf: ({ length }) => ({ promptTokens: 12, completionTokens: length, isStated: true }),
  listed: ['acme/one', 'acme/two'],
};

export const RIG: MeasuredRig = {
  name: 'rack',
  kind: 'openai',
  description: null,
  streamsMax: 4,
  models: [
    { id: 'acme/one', outputTokensMax: 100 },
    { id: 'acme/two', outputTokensMax: 100 },
  ],
};

/** One rig that follows a script and moves the clock. */
export class ScriptedRigs extends MeasuredRigs {
  readonly chats: MeasuringChat[] = [];

  constructor(
    private readonly clock: ManualClock,
    private readonly script: RigScript = STEADY,
    private readonly rig: MeasuredRig = RIG,
  ) {
    super();
  }

  override rigs(): readonly MeasuredRig[] {
    return [this.rig];
  }

  override find(name: string): Promise<MeasuredRig | undefined> {
    return Promise.resolve(name === this.rig.name ? this.rig : undefined);
  }

  override listedModels(): Promise<ReadonlySet<string>> {
    const { listed } = this.script;
    return listed === null
      ? Promise.reject(new RigProblem('rig rack cannot be reached'))
      : Promise.resolve(new Set(listed));
  }

  override async *stream(chat: MeasuringChat): AsyncGenerator<string, MeasuredUsage, void> {
    const answer = this.chats.push(chat) - 1;
    await Promise.resolve();
    // The wait for a slot is no latency of the rig.
    this.clock.advance(1_000);
    chat.onSent();
    const pieces = this.script.piecesOf(chat, answer);
    this.clock.advance(this.script.firstMsOf(answer));
    // A stream begins with the role, which is no token.
    yield '';
    for (const piece of pieces) {
      this.clock.advance(this.script.pieceMs);
      yield piece;
    }
    return this.script.usageOf(pieces, answer);
  }
}
