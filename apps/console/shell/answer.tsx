import { type Signal, signal, useSignal, useSignalEffect } from '@preact/signals';
import { type ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { ApiError } from './api.js';
import { path } from './location.js';
import { type Address, type AnswerOf } from './routes.js';
import { read, writes } from './session.js';

export type AnswerState<Answer> =
  | { readonly status: 'loading' }
  | { readonly status: 'found'; readonly answer: Answer }
  | { readonly status: 'failed'; readonly message: string };

/** The read that a page shows, for its header. */
export interface ShownRead {
  readonly route: Address;
  /** The number of events of the log that the answer rests on. Null: not answered, or not said. */
  readonly position: string | null;
  /** Null: not answered. */
  readonly answer: object | null;
}

export const shownRead = signal<ShownRead | null>(null);

const LOADING = { status: 'loading' } as const;

/** Repeats the reads of the shown page. */
export const refreshes = signal(0);

/**
 * Reads a route, and again whenever the signals that it is made of change, after a write and when
 * the reader asks. A repeated read shows the answer before it until the next one is here.
 * @param routeOf reads signals only; null: nothing is read
 */
export const useRead = <Of extends string>(
  routeOf: () => Address<Of> | null,
): Signal<AnswerState<AnswerOf<Of>>> => {
  const state = useSignal<AnswerState<AnswerOf<Of>>>(LOADING);
  const ownPath = useRef(path.peek());
  const shown = useRef<string | null>(null);
  useSignalEffect(() => {
    // The page is left: the query is the query of the next one.
    if (path.value !== ownPath.current) return undefined;
    const [route] = [routeOf(), writes.value, refreshes.value];
    const abort = new AbortController();
    if (route !== shown.current) state.value = LOADING;
    shown.current = route;
    if (route === null) return undefined;
    read(route, abort.signal).then(
      (answer) => {
        if (!abort.signal.aborted) state.value = { status: 'found', answer };
      },
      (error: unknown) => {
        if (!abort.signal.aborted) state.value = { status: 'failed', message: messageOf(error) };
      },
    );
    return () => abort.abort();
  });
  return state;
};

/** Where the route says it. */
const positionIn = (answer: object): string | null =>
  'position' in answer && typeof answer.position === 'string' ? answer.position : null;

/** The same for the one read that the header of the page names. */
export const usePageRead = <Of extends string>(
  routeOf: () => Address<Of>,
): Signal<AnswerState<AnswerOf<Of>>> => {
  const state = useRead(routeOf);
  const ownPath = useRef(path.peek());
  useSignalEffect(() => {
    const found = state.value;
    if (path.value !== ownPath.current) return;
    const answer = found.status === 'found' ? found.answer : null;
    const position = answer && positionIn(answer);
    shownRead.value = { route: routeOf(), position, answer };
  });
  return state;
};

export const messageOf = (error: unknown): string => {
  if (error instanceof ApiError) return error.message;
  return error instanceof Error ? error.message : String(error);
};

export interface AnsweredProps<Answer> {
  readonly state: Signal<AnswerState<Answer>>;
  readonly children: (answer: Answer) => ComponentChildren;
}

/** Shows an answer when it is here, and until then that it is not. */
export const Answered = <Answer,>({ state, children }: AnsweredProps<Answer>) => {
  const now = state.value;
  switch (now.status) {
    case 'loading':
      return (
        <p class="quiet" role="status">
          Loading …
        </p>
      );
    case 'failed':
      return (
        <p class="failure" role="alert">
          {now.message}
        </p>
      );
    case 'found':
      return <>{children(now.answer)}</>;
  }
};
