/** One answer of the built-in model, as its caller saw it come. */
export interface TimedChat {
  /** From the request to the first words. */
  readonly firstMs: number;
  /** From the request to the end of the answer. */
  readonly wholeMs: number;
  readonly text: string;
}

export interface ChatCall {
  readonly port: number;
  readonly apiKey: string;
  /** Equal seeds, equal answers. */
  readonly seed: number;
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null } }[];
}

const DATA = 'data: ';
const DONE = '[DONE]';
const END_OF_EVENT = '\n\n';

const bodyOf = (seed: number): string =>
  JSON.stringify({
    model: 'quipu/nano',
    messages: [{ role: 'user', content: 'What is a hold?' }],
    max_tokens: 24,
    temperature: 0.8,
    seed,
    stream: true,
  });

const wordsOf = (event: string): string => {
  const data = event.startsWith(DATA) ? event.slice(DATA.length) : DONE;
  if (data === DONE) return '';
  const { choices } = JSON.parse(data) as Chunk;
  return choices[0]?.delta.content ?? '';
};

/** @throws for anything but a stream that has begun with 200 and ended with `[DONE]` */
export const timeChat = async ({ port, apiKey, seed }: ChatCall): Promise<TimedChat> => {
  const startedMs = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: bodyOf(seed),
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`chat: ${response.status} ${await response.text()}`);
  let firstMs = Number.NaN;
  let text = '';
  let unread = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (unread + piece).split(END_OF_EVENT);
    unread = events.pop() ?? '';
    text += events.map(wordsOf).join('');
    if (Number.isNaN(firstMs) && text !== '') firstMs = performance.now() - startedMs;
    if (events.at(-1) === DATA + DONE) unread = DONE;
  }
  if (unread !== DONE) throw new Error(`a stream without an end: ${text}`);
  return { firstMs, wholeMs: performance.now() - startedMs, text };
};
