import { cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from '@jest/globals';
import request from 'supertest';
import { startAudioServer } from '#areas/audio/upstreams/audio-upstreams.fake.js';
import { TrainingFolder } from '#engines/training/training.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { everyProductCatalog, everyUpstream } from './every-product.catalog.js';
import { type Body, type Order, prepareOrders } from './every-product.orders.js';
import { hangUp } from './live-client.fixture.js';
import { downloadPackage } from './packages.fixture.js';
import { answering, eventually, startWorld, type World } from './quipu.harness.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SPIKING = 'models/spiking/hybrid-cnn';
const SPEECH_FIELDS = ['model', 'input', 'voice', 'response_format', 'speed'];
const TINY = { width: 32, feedForwardWidth: 32 };
const CHARGED_MS_MAX = 60_000;

/** Starts an installation in which every product can be ordered, with rich accounts. */
export const startEveryProduct = async (environment: NodeJS.ProcessEnv) => {
  const models = await TrainingFolder.make();
  await models.micro('teacher', 2, TINY);
  await models.micro('student', 1, TINY);
  const speaker = await startAudioServer(SPEECH_FIELDS, () => ({ body: Buffer.from('ID3 knots') }));
  const upstreams = path.join(models.path, 'upstreams.json');
  const speech_models = [{ id: 'tts-1-hd', upstream_id: 'tts-x' }];
  const server = { name: 'theirs', server: 'openai', base_url: `${speaker.url}/v1`, speech_models };
  await writeFile(upstreams, JSON.stringify({ servers: [server] }));
  const world = await startWorld([everyUpstream(answering('Knots', '.'))], {
    catalogOf: everyProductCatalog(models.path),
    isHere: true,
    environment: {
      QUIPU_AUDIO_UPSTREAMS: upstreams,
      QUIPU_SHARDING_STAGES: '2',
      QUIPU_RENTAL_ENGINE: 'process',
      QUIPU_RENTAL_PORTS: '41300-41499',
      QUIPU_QUANTIZE_WAIT_SECONDS: '0',
      ...environment,
    },
  });
  const commands = new CommandLine(() => world);
  await commands.result('account', 'credit', '--user', 'demo', '--usd', '10000', '--reason', 'all');
  const close = async (): Promise<void> => {
    await speaker.close();
    await models.remove();
  };
  return { world, close };
};

/** How an order was answered the first time. */
export interface Answered {
  readonly order: Order;
  readonly requestId: string;
  readonly status: number;
  readonly text: string;
}

/** An account that has ordered every product, in an installation with `everyProductCatalog`. */
export class EveryProduct {
  constructor(private readonly world: () => World) {}

  /** Of the charges in the log. */
  async charged(): Promise<ReadonlySet<string>> {
    const events = await this.world().events();
    return new Set(
      events.flatMap(({ type, data }) =>
        type === 'HoldCaptured' && 'purpose' in data ? [String(data['purpose'])] : [],
      ),
    );
  }

  /** Orders each product once, and waits until all these are charged. */
  async order(purposes: ReadonlySet<string>): Promise<readonly Answered[]> {
    const { home } = this.world();
    await cp(path.join(ROOT, SPIKING), path.join(home, SPIKING), { recursive: true });
    const orders = await prepareOrders(this.world(), async (method, route, body, headers = {}) => {
      const sent = await this.#http(method, route).set(headers).send(body);
      if (sent.status >= 300) throw new Error(`${route}: ${sent.status} ${sent.text}`);
      return sent.body as Body;
    });
    const answers = await Promise.all(orders.map((order) => this.answerTo(order)));
    const failures = answers
      .filter(({ status }) => status >= 300)
      .map(({ order, status, text }) => `${order.purpose}: ${status} ${text}`);
    expect(failures).toEqual([]);
    const bodyOf = (purpose: string): Body =>
      JSON.parse(answers.find(({ order }) => order.purpose === purpose)?.text ?? '{}') as Body;
    await downloadPackage(this.world(), String(bodyOf('scif_package')['package_uuid']));
    await hangUp(String(bodyOf('live_session')['ws_signaling_url']));
    const bundle = String(bodyOf('bundle_custody')['bundle_id']);
    await this.#http('delete', `/api/v1/dtn/bundles/${bundle}`).expect(200);
    const isCharged = async () => (await this.charged()).isSupersetOf(purposes);
    await eventually(isCharged, CHARGED_MS_MAX).catch(() => undefined);
    expect(await this.charged()).toEqual(purposes);
    return answers;
  }

  /** Sends the order under its key. */
  async answerTo(order: Order): Promise<Answered> {
    const { purpose, route, body, recording, headers = {} } = order;
    const asked = this.#http('post', route).set({ 'idempotency-key': purpose, ...headers });
    const sent = recording ? asked.attach('file', recording, 'a.wav') : asked.send(body);
    const { status, headers: answered, body: bytes } = await sent.responseType('blob');
    const requestId = String(answered['x-request-id']);
    return { order, requestId, status, text: (bytes as Buffer).toString('latin1') };
  }

  #http(method: 'post' | 'put' | 'delete', route: string): request.Test {
    const { quipu, credentials } = this.world();
    const asked = request(quipu.url)[method](route);
    return asked.set('authorization', `Bearer ${credentials.api_key}`);
  }
}
