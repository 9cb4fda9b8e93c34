import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Answered, messageOf, useRead } from '../shell/answer.js';
import { type Fact, Facts, orDash } from '../shell/facts.js';
import { count, usd } from '../shell/figures.js';
import { addressOf, query } from '../shell/location.js';
import { type AnswerOf, routeOf } from '../shell/routes.js';
import { write } from '../shell/session.js';
import { textIn } from '../shell/write-form.js';
import { type ChatBody, streamedChat } from './streamed-chat.js';

type Estimate = AnswerOf<'/api/v1/estimate', 'POST'>;

type Shown =
  | { readonly status: 'idle' }
  | { readonly status: 'estimated'; readonly estimate: Estimate }
  | { readonly status: 'failed'; readonly message: string }
  | {
      readonly status: 'streaming' | 'done';
      readonly text: string;
      readonly pieces: number;
      readonly requestId: string | null;
    };

const bodyOf = (form: FormData): ChatBody => {
  const most = Number(textIn(form, 'max_tokens'));
  return {
    model: textIn(form, 'model'),
    routing_mode: textIn(form, 'routing_mode') || 'auto',
    ...(most > 0 && { max_tokens: most }),
    messages: [{ role: 'user', content: textIn(form, 'prompt') }],
  };
};

const factsOf = (estimate: Estimate): readonly Fact[] => [
  ['Costs at most', orDash(estimate.max_cost_usd, usd)],
  ['Available', orDash(estimate.available_usd, usd)],
  ['Rate card', orDash(estimate.rate_card_version)],
  ['Would run', estimate.would_run ? 'yes' : estimate.rejections.map((one) => one.message).join()],
];

/** The charge, which the log has when the stream has ended. */
const Charge = ({ requestId }: { readonly requestId: string }) => {
  const state = useRead(() => routeOf('/api/v1/requests/{id}', { id: requestId }));
  return (
    <Answered state={state}>
      {({ request }) => (
        <p class="success">
          Charged {usd(request.cost_usd)} in {count(request.total_ms)} ms:{' '}
          <a data-page href={addressOf(`/requests/${requestId}`)}>
            its lines, events and proofs
          </a>
        </p>
      )}
    </Answered>
  );
};

const Outcome = ({ shown }: { readonly shown: Signal<Shown> }) => {
  const now = shown.value;
  switch (now.status) {
    case 'idle':
      return <p>Estimate the price first, or send at once. A chat is charged as any other.</p>;
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
      return (
        <>
          <pre tabIndex={0} id="answer">
            {now.text}
          </pre>
          <p role="status">
            {now.status === 'streaming' ? 'Streaming' : 'Ended'}, {count(now.pieces)} pieces
          </p>
          {now.status === 'done' && now.requestId !== null && <Charge requestId={now.requestId} />}
        </>
      );
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

const PlaygroundPage = () => {
  const form = useRef<HTMLFormElement>(null);
  const shown = useSignal<Shown>({ status: 'idle' });
  const abort = useRef<AbortController | null>(null);

  const estimate = async (body: ChatBody): Promise<void> => {
    const { answer } = await write(routeOf('/api/v1/estimate'), {
      method: 'POST',
      body,
      idempotencyKey: crypto.randomUUID(),
    });
    shown.value = { status: 'estimated', estimate: answer };
  };
  const send = async (body: ChatBody): Promise<void> => {
    abort.current = new AbortController();
    const { requestId, pieces } = await streamedChat(body, abort.current.signal);
    let [text, total] = ['', 0];
    shown.value = { status: 'streaming', text, pieces: total, requestId };
    for await (const piece of pieces) {
      text += piece;
      total += 1;
      shown.value = { status: 'streaming', text, pieces: total, requestId };
    }
    shown.value = { status: 'done', text, pieces: total, requestId };
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
  return (
    <>
      <h1>Playground</h1>
      <form class="stacked" ref={form} onSubmit={submit}>
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
      <h2>Answer</h2>
      <Outcome shown={shown} />
    </>
  );
};

export default PlaygroundPage;
