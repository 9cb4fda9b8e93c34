import { Injectable } from '@nestjs/common';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ProcessCalls } from '#platform/runtime/process/process-calls.js';
import { LiveError } from './live.failures.js';

/** The outcome of a call in another process, where its errors are values. */
type Outcome =
  | { readonly value: unknown }
  | { readonly domain: string; readonly message: string }
  | { readonly kind: LiveError['kind']; readonly message: string };

/** Asks the process that serves a session. Errors of the area keep their class. */
@Injectable()
export class SessionHosts {
  constructor(private readonly calls: ProcessCalls) {}

  answer(name: string, run: (argument: never) => Promise<unknown>): void {
    this.calls.answer(name, async (argument): Promise<Outcome> => {
      try {
        return { value: await run(argument) };
      } catch (error) {
        if (error instanceof LiveError) return { kind: error.kind, message: error.message };
        if (!(error instanceof DomainError)) throw error;
        return { domain: (error as DomainError).code, message: error.message };
      }
    });
  }

  /**
   * Null where the process is gone, or serves another port.
   * @throws DomainError, LiveError
   */
  async ask(
    host: string,
    name: string,
    argument: unknown,
  ): Promise<{ readonly value: unknown } | null> {
    const answered = await this.calls.call({ host, name, argument });
    if (!answered) return null;
    const outcome = answered.answer as Outcome;
    if ('value' in outcome) return outcome;
    if ('domain' in outcome) throw new DomainError(outcome.domain, outcome.message);
    throw new LiveError(outcome.kind, outcome.message);
  }
}
