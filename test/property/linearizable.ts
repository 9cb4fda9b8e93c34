/** One operation that a client called and that has answered; by one clock. */
export interface Operation<Input, Output> {
  readonly input: Input;
  readonly output: Output;
  readonly calledAt: number;
  readonly answeredAt: number;
}

/** An object as a single client would see it. */
export interface SequentialModel<State, Input, Output> {
  readonly initial: State;
  /** The state after the operation; null where an object in this state does not answer so. */
  readonly apply: (state: State, input: Input, output: Output) => State | null;
  /** Equal for equal states. */
  readonly keyOf: (state: State) => string;
}

/**
 * Whether the operations could have taken effect one after the other, each between its call and its
 * answer: the search of Wing and Gong, which skips what an earlier order of the same operations has
 * shown to lead nowhere (Lowe's memory).
 */
export const isLinearizable = <State, Input, Output>(
  { initial, apply, keyOf }: SequentialModel<State, Input, Output>,
  history: readonly Operation<Input, Output>[],
): boolean => {
  const visited = new Set<string>();
  const search = (state: State, open: readonly number[]): boolean => {
    if (open.length === 0) return true;
    const key = `${open.join()} ${keyOf(state)}`;
    if (visited.has(key)) return false;
    visited.add(key);
    const firstAnswer = Math.min(...open.map((index) => history[index]?.answeredAt ?? Infinity));
    return open.some((index) => {
      const operation = history[index];
      // A call that began after another one had answered cannot come before it.
      if (!operation || operation.calledAt > firstAnswer) return false;
      const next = apply(state, operation.input, operation.output);
      if (next === null) return false;
      return search(
        next,
        open.filter((other) => other !== index),
      );
    });
  };
  return search(initial, [...history.keys()]);
};
