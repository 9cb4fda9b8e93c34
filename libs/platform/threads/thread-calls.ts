/** One end of a channel: a `Worker`, a `MessagePort`, or the channel of a child process. */
export interface Endpoint {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** The functions that one side answers, by name; each has one argument that can be cloned. */
export type Calls = Readonly<Record<string, (argument: never) => unknown>>;

type Argument<Call> = Call extends (argument: infer Value) => unknown ? Value : never;
type Answer<Call> = Call extends (argument: never) => infer Value ? Awaited<Value> : never;

type Message =
  /** Without a number, no answer is sent. */
  | { readonly call: number | null; readonly name: string; readonly argument: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly failed: number; readonly reason: string };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Calls between two threads or processes, in both directions. Unlike the requests of a
 * `WorkerChannel`, calls are answered in any order: one that waits delays no other.
 */
export class ThreadCalls<Theirs extends Calls, Mine extends Calls> {
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #ended: string | null = null;

  #mine: Partial<Mine>;

  /** @param mine what this side answers from the start; `offer` adds more */
  constructor(
    private readonly endpoint: Endpoint,
    mine: Partial<Mine>,
  ) {
    this.#mine = mine;
    endpoint.on('message', (message) => this.#receive(message as Message));
  }

  /** Answers these calls, too, from now on. */
  offer(mine: Partial<Mine>): void {
    this.#mine = { ...this.#mine, ...mine };
  }

  /** @throws Error with the other side's message, or with the reason of the end */
  call<Name extends keyof Theirs & string>(
    name: Name,
    argument: Argument<Theirs[Name]>,
  ): Promise<Answer<Theirs[Name]>> {
    if (this.#ended !== null) return Promise.reject(new Error(this.#ended));
    this.#calls += 1;
    const call = this.#calls;
    return new Promise((resolve, reject) => {
      const settle = resolve as (value: unknown) => void;
      this.#waiting.set(call, { resolve: settle, reject });
      this.#post({ call, name, argument });
    });
  }

  /** A call whose answer does not matter. After the end it does nothing. */
  tell<Name extends keyof Theirs & string>(name: Name, argument: Argument<Theirs[Name]>): void {
    if (this.#ended === null) this.#post({ call: null, name, argument });
  }

  /** The other side is gone: rejects the open calls and all later ones. */
  end(reason: string): void {
    this.#ended ??= reason;
    for (const { reject } of this.#waiting.values()) reject(new Error(reason));
    this.#waiting.clear();
  }

  #post(message: Message): void {
    this.endpoint.postMessage(message);
  }

  #receive(message: Message): void {
    if ('name' in message) {
      void this.#answer(message.call, message.name, message.argument);
      return;
    }
    const id = 'answer' in message ? message.answer : message.failed;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('answer' in message) waiting?.resolve(message.value);
    else waiting?.reject(new Error(message.reason));
  }

  async #answer(call: number | null, name: string, argument: unknown): Promise<void> {
    try {
      const answering = this.#mine[name];
      if (!answering) throw new Error(`the other side does not answer ${name} now`);
      const value = await answering(argument as never);
      if (call !== null) this.#post({ answer: call, value });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (call !== null) this.#post({ failed: call, reason });
    }
  }
}
