import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { completionOf, json, type Script, statement } from '#areas/inference/rigs/upstream.fake.js';
import { runCommand } from './command-line.fixture.js';
import { chatRequest, eventually, startWorld, type World } from './quipu.harness.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

interface Exported {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

interface Body {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly Exported[] }[];
  }[];
}

const spansIn = (body: string): readonly Exported[] =>
  (JSON.parse(body) as Body).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  );

describe('traces', () => {
  let world: World;
  let collector: Server;
  const requests: { readonly path: string; readonly key: string; readonly body: string }[] = [];
  const sent: (string | undefined)[] = [];

  const answer: Script = (response, received) => {
    sent.push(received.headers['traceparent'] as string | undefined);
    json(200, completionOf('A quipu', statement(9, 3)))(response, received);
  };

  beforeAll(async () => {
    collector = createServer((message, response) => {
      const pieces: Buffer[] = [];
      message.on('data', (piece: Buffer) => pieces.push(piece));
      message.on('end', () => {
        requests.push({
          path: message.url ?? '',
          key: String(message.headers['x-key']),
          body: Buffer.concat(pieces).toString(),
        });
        // The first one is lost: the spans come again.
        response.writeHead(requests.length === 1 ? 503 : 200).end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const { port } = collector.address() as AddressInfo;
    world = await startWorld([answer, answer], {
      environment: {
        QUIPU_OTLP_ENDPOINT: `http://127.0.0.1:${port}/otel/`,
        QUIPU_OTLP_HEADERS: 'x-key=a%20b',
      },
    });
  });

  afterAll(async () => {
    await world.close();
    collector.closeAllConnections();
    await new Promise((resolve) => collector.close(resolve));
  });

  it('join the trace of the caller, go on to the rig and come again after a failure', async () => {
    const ask = (more: Readonly<Record<string, string>> = {}): Promise<Response> =>
      fetch(`${world.quipu.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${world.credentials.api_key}`,
          'content-type': 'application/json',
          ...more,
        },
        body: JSON.stringify(chatRequest()),
      });
    const answers = [await ask({ traceparent: `00-${TRACE}-${PARENT}-01` }), await ask()];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(sent).toEqual([`00-${TRACE}-${PARENT}-01`, undefined]);
    const taken = () => requests.slice(1).flatMap(({ body }) => spansIn(body));
    await eventually(() => taken().length >= 4);
    expect(requests[0]).toMatchObject({ path: '/otel/v1/traces', key: 'a b' });
    const [id = '', other = ''] = answers.map(
      ({ headers: got }) => got.get('x-request-id')?.replaceAll('-', '') ?? '',
    );
    const spans = new Map(taken().map((span) => [span.spanId, span]));
    expect(spans.size).toBe(4);
    const request = spans.get(id.slice(16));
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    expect(request?.name).toMatch(/^chat /);
    const below = (span: string) => [...spans.values()].filter((one) => one.parentSpanId === span);
    expect(below(id.slice(16))).toMatchObject([{ traceId: TRACE }]);
    expect(spans.get(other.slice(16))).toMatchObject({ traceId: other });
    expect(below(other.slice(16))).toMatchObject([{ traceId: other }]);
    expect(requests.map(({ body }) => body).join('')).not.toContain('A quipu');
  });

  it('are sent again from a position by a command, with the same ids', async () => {
    const before = requests.length;
    const replay = (...words: readonly string[]) =>
      runCommand(world.environment, ['traces', 'replay', ...words, '--json']);
    const first = await replay('--from', '1');
    expect(JSON.parse(first.stdout)).toMatchObject({ success: true, spans: 4 });
    const idsIn = (bodies: readonly { readonly body: string }[]) =>
      new Set(bodies.flatMap(({ body }) => spansIn(body).map(({ spanId }) => spanId)));
    expect(idsIn(requests.slice(before))).toEqual(idsIn(requests.slice(0, before)));
    const ended = (await world.log()).findIndex(({ type }) => type === 'HoldCaptured') + 1;
    const one = await replay('--from', `${ended}`, '--to', `${ended}`);
    expect(JSON.parse(one.stdout)).toMatchObject({
      ...{ events: 1, spans: 1, last_position: `${ended}` },
    });
    const last = await replay('--from', '1000');
    expect(JSON.parse(last.stdout)).toMatchObject({ events: 0, spans: 0 });
  });

  it('are sent to no collector by a command that knows none, or one that is away', async () => {
    const run = async (endpoint: string) => {
      const environment = { ...world.environment, QUIPU_OTLP_ENDPOINT: endpoint };
      const words = ['traces', 'replay', '--from', '1', '--json'];
      const { exitCode, stderr } = await runCommand(environment, words);
      return { exitCode, ...(JSON.parse(stderr) as object) };
    };
    expect(await run('')).toMatchObject({ exitCode: 2, code: 'bad_settings' });
    expect(await run('http://127.0.0.1:9')).toMatchObject({
      ...{ exitCode: 1, code: 'collector_unavailable' },
      message: expect.stringContaining('the collector has the spans of no event'),
    });
  });
});
