import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Answered, messageOf, useRead } from '../shell/answer.js';
import { ApiError } from '../shell/api.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, usd, usdOfMicro } from '../shell/figures.js';
import { ledger } from '../shell/live.js';
import { addressOf, query } from '../shell/location.js';
import { routeOf } from '../shell/routes.js';
import { write } from '../shell/session.js';
import { textIn } from '../shell/write-form.js';
import { costSoFar, type Estimate } from './live-cost.js';
import { SaveAsWorkflow } from './save-workflow.js';
import { type ChatBody, streamedChat } from './streamed-chat.js';

const BAD_REQUEST = 400;

type Shown =
  | { readonly status: 'idle' }
  | { readonly status: 'estimated'; readonly estimate: Estimate }
  | { readonly status: 'failed'; readonly message: string }
  | StreamedAnswer;

interface StreamedAnswer {
  readonly status: 'streaming' | 'done';
  /** Null: chats of this mode have none. */
  readonly estimate: Estimate | null;
  readonly text: string;
  /** Each is taken for a token. */
  readonly pieces: number;
  readonly requestId: string | null;
}

const bodyOf = (form: FormData): ChatBody => {
  const most = Number(textIn(form, 'max_tokens'));
  return {
    model: textIn(form, 'model'),
    routing_mode: textIn(form, 'routing_mode') || 'auto',
    ...(most > 0 && { max_tokens: most }),
    messages: [{ role: 'user', content: textIn(form, 'prompt') }],
  };
};

const estimateOf = async (body: ChatBody): Promise<Estimate> => {
  const call = { method: 'POST', body, idempotencyKey: crypto.randomUUID() } as const;
  return (await write(routeOf('/api/v1/estimate'), call)).answer;
};

const factsOf = (estimate: Estimate): readonly Fact[] => [
  ['Costs at most', orDash(estimate.max_cost_usd, usd)],
  ['Available', orDash(estimate.available_usd, usd)],
  ['Rate card', orDash(estimate.rate_card_version)],
  ['Would run', estimate.would_run ? 'yes' : estimate.rejections.map((one) => one.message).join()],
];

/** Shown until the log has the charge. */
const CostSoFar = ({ estimate, pieces }: StreamedAnswer) => {
  const micro = estimate && costSoFar(estimate, pieces);
  return (
    <p id="cost">
      {micro === null
        ? 'No cost is known before the charge.'
        : `Estimate so far: ${usdOfMicro(String(micro))} by rate card ` +
          `${estimate?.rate_card_version ?? '–'}, with each piece as one token.`}
    </p>
  );
};

interface ChargeProps {
  readonly answer: StreamedAnswer;
  readonly requestId: string;
}

/** The charge, which the log has soon after the stream has ended. */
const Charge = ({ answer, requestId }: ChargeProps) => {
  const state = useRead(() => {
    // A charge that comes later is an event of the account, after which it is read again.
    const [route] = [routeOf('/api/v1/requests/{id}', { id: requestId }), ledger.value.latest];
    return route;
  });
  const now = state.value;
  if (now.status !== 'found') return <CostSoFar {...answer} />;
  const { cost_usd: cost, total_ms: ms } = now.answer.request;
  return (
    <p class="success">
      Charged {usd(cost)} in {count(ms)} ms:{' '}
      <a data-page href={addressOf(`/requests/${requestId}`)}>
        its lines, events and proofs
      </a>
    </p>
  );
};

const Streamed = ({ answer }: { readonly answer: StreamedAnswer }) => {
  const { status, estimate, text, pieces, requestId } = answer;
  const isDone = status === 'done';
  return (
    <>
      {estimate && <Facts facts={factsOf(estimate)} />}
      <pre tabIndex={0} id="answer">
        {text}
      </pre>
      <p role="status">
        {isDone ? 'Ended' : 'Streaming'}, {count(pieces)} pieces
      </p>
      {isDone && requestId !== null ? (
        <Charge answer={answer} requestId={requestId} />
      ) : (
        <CostSoFar {...answer} />
      )}
    </>
  );
};

const Outcome = ({ shown }: { readonly shown: Signal<Shown> }) => {
  const now = shown.value;
  switch (now.status) {
    case 'idle':
      return <p>A chat is estimated before it is sent, and charged as any other.</p>;
    case 'estimated':
      return <Facts facts={factsOf(now.estimate)} />;
    case 'failed':
      return (
        <p class="failure" role="alert">
          {now.message}
        </p>
      );
    case 'streaming':
    case 'done':
      return <Streamed answer={now} />;
  }
};

const ModelField = () => {
  const state = useRead(() => routeOf('/v1/models'));
  return (
    <Answered state={state}>
      {({ data }) => (
        <label>
          Model
          <select name="model" defaultValue={query.value.get('model') ?? data[0]?.id ?? ''}>
            {data
              .filter((model) => model.endpoints === undefined)
              .map(({ id }) => (
                <option key={id}>{id}</option>
              ))}
          </select>
        </label>
      )}
    </Answered>
  );
};

const Fields = () => (
  <>
    <ModelField />
    <label>
      Routing mode
      <input name="routing_mode" defaultValue="auto" maxLength={80} />
    </label>
    <label>
      Output tokens at most
      <input name="max_tokens" type="number" min="1" />
    </label>
    <label>
      Prompt
      <textarea name="prompt" rows={4} required />
    </label>
  </>
);

const PlaygroundPage = () => {
  const form = useRef<HTMLFormElement>(null);
  const shown = useSignal<Shown>({ status: 'idle' });
  const abort = useRef<AbortController | null>(null);

  const estimate = async (body: ChatBody): Promise<void> => {
    shown.value = { status: 'estimated', estimate: await estimateOf(body) };
  };
  const send = async (body: ChatBody): Promise<void> => {
    const { signal } = (abort.current = new AbortController());
    // Modes without a price before their work have no estimate, and chat all the same.
    const priced = await estimateOf(body).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === BAD_REQUEST) return null;
      throw error;
    });
    if (priced?.would_run === false) {
      shown.value = { status: 'estimated', estimate: priced };
      return;
    }
    const { requestId, pieces } = await streamedChat(body, signal);
    const start = { estimate: priced, text: '', pieces: 0, requestId };
    let now: StreamedAnswer = { ...start, status: 'streaming' };
    shown.value = now;
    try {
      for await (const piece of pieces) {
        now = { ...now, text: now.text + piece, pieces: now.pieces + 1 };
        shown.value = now;
      }
    } catch (error) {
      // The answer so far is charged, too.
      if (!signal.aborted) throw error;
    }
    shown.value = { ...now, status: 'done' };
  };
  const run = (action: (body: ChatBody) => Promise<void>): void => {
    if (!form.current?.reportValidity()) return;
    action(bodyOf(new FormData(form.current))).catch((error: unknown) => {
      shown.value = { status: 'failed', message: messageOf(error) };
    });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    run(send);
  };
  const chat = (): ChatBody => {
    if (form.current?.checkValidity() !== true)
      throw new Error('The fields of the chat are empty.');
    return bodyOf(new FormData(form.current));
  };
  return (
    <>
      <h1>Playground</h1>
      <form class="stacked" ref={form} onSubmit={submit}>
        <Fields />
        <p class="buttons">
          <button type="button" onClick={() => run(estimate)}>
            Estimate
          </button>
          <button type="submit">Send</button>
          <button type="button" onClick={() => abort.current?.abort()}>
            Stop
          </button>
        </p>
      </form>
      <SaveAsWorkflow chat={chat} />
      <h2>Answer</h2>
      <Outcome shown={shown} />
    </>
  );
};

export default PlaygroundPage;
