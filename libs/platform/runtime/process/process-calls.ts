/** A call for the process of this name. */
export interface ProcessCall {
  readonly host: string;
  readonly name: string;
  /** It and the answer can be cloned. */
  readonly argument: unknown;
}

/** Null where no such process listens. */
export type ProcessAnswer = { readonly answer: unknown } | null;

/**
 * Calls between the processes that serve one port, for state that one of them has. A process that
 * serves its port alone reaches no other.
 */
export class ProcessCalls {
  readonly #answers = new Map<string, (argument: never) => Promise<unknown>>();
  #forward: (call: ProcessCall) => Promise<ProcessAnswer> = () => Promise.resolve(null);

  /** Answers the calls of other processes. */
  answer(name: string, run: (argument: never) => Promise<unknown>): void {
    this.#answers.set(name, run);
  }

  /** @throws Error with the message of the other process */
  call(call: ProcessCall): Promise<ProcessAnswer> {
    return this.#forward(call);
  }

  /** From now on calls reach the other processes. */
  connect(forward: (call: ProcessCall) => Promise<ProcessAnswer>): void {
    this.#forward = forward;
  }

  /** A call of another process. @throws Error for a name that nothing answers */
  async receive({ name, argument }: Omit<ProcessCall, 'host'>): Promise<unknown> {
    const run = this.#answers.get(name);
    if (!run) throw new Error(`this process does not answer ${name}`);
    return run(argument as never);
  }
}
