import { type ChatGuard, type ChatGuards, type GuardedWork } from './chat-guards.port.js';

/** An operator without rules. */
export const NO_GUARDS: ChatGuards = { of: () => undefined };

/** Redacts one word of the texts that are no chat, by `guardedBody` alone. */
export class WordGuards implements ChatGuards {
  readonly works: GuardedWork[] = [];

  constructor(private readonly word: string) {}

  of(work: GuardedWork): ChatGuard {
    this.works.push(work);
    const texts: ChatGuard['texts'] = (body) =>
      Promise.resolve(
        JSON.parse(JSON.stringify(body).replaceAll(this.word, '[redacted]')) as typeof body,
      );
    return { texts } as ChatGuard;
  }
}
