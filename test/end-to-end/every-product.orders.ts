import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { toFile } from 'openai';
import { samplesIn } from '#engines/speech-recognition/audio/samples.js';
import { wavOf } from '#engines/speech-recognition/audio/wav.fixture.js';
import { encodePng } from '#platform/pictures/png-encoder.js';
import { FheClient } from '../../packages/fhe-client/index.mjs';
import { moduleOf } from '../oracles/wasmtime/vectors.fixture.js';
import { chatRequest, MODEL, type World } from './quipu.harness.js';
import { ACTIONS, type Attestation, ROOMS, sealPrompt, sealRows } from './sealed-rooms.fixture.js';
import { BATCHES, INFER, SLUG } from './spiking.fixture.js';
import { AGREE, SPECULATE } from './swarm.fixture.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NANO = 'quipu/nano';
const SPEECH = path.join(ROOT, 'models/speech/quipu-words/samples');
const RATE_HZ = 16_000;
const ACCOUNT = '1';
const MESSAGES = chatRequest().messages;
const CHATS = '/v1/chat/completions';

const vectorsOf = (file: string): unknown =>
  JSON.parse(readFileSync(path.join(ROOT, 'test/oracles', file), 'utf8'));

/** An order of a product that may be sent again under its key. */
export interface Order {
  readonly purpose: string;
  readonly route: string;
  readonly body?: object;
  /** Sent as a form. */
  readonly recording?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Body = Readonly<Record<string, unknown>>;
type Products = Readonly<Record<string, Omit<Order, 'purpose'>>>;
/** Sends a request of the account, and expects it to be accepted. */
export type Ask = (
  method: 'post' | 'put',
  route: string,
  body: object,
  headers?: Order['headers'],
) => Promise<Body>;

/** Makes what the orders of all products need. @returns an order of each product */
export const prepareOrders = async (world: World, ask: Ask): Promise<readonly Order[]> => {
  const orders = new Preparations(world, ask);
  const products = await orders.all();
  return products.flatMap((some) =>
    Object.entries(some).map(([purpose, order]) => ({ purpose, ...order })),
  );
};

class Preparations {
  constructor(
    private readonly world: World,
    private readonly ask: Ask,
  ) {}

  async all(): Promise<readonly Products[]> {
    const quick = [this.#inference(), this.#compute(), this.#sound(), this.#jobs()];
    const prepared = await Promise.all([...quick, this.#vaults(), this.#rooms()]);
    return [...prepared, this.#space()];
  }

  async #inference(): Promise<Products> {
    const cached = chatRequest({ messages: [{ role: 'user', content: 'Again.' }] });
    const kept = { 'x-quipu-cache': '600' };
    await this.ask('post', CHATS, cached, kept);
    return {
      chat_completion: { route: CHATS, body: chatRequest() },
      cached_chat: { route: CHATS, body: cached, headers: kept },
      embedding: { route: '/v1/embeddings', body: { model: 'quipu-embed-768', input: 'Knots.' } },
      ranking: {
        route: '/v1/rerank',
        body: { model: 'ranker', query: 'knots', documents: ['wool', 'a knot'] },
      },
      moderation: { route: '/v1/moderations', body: { model: 'judge', input: 'A knot.' } },
      background_response: {
        route: '/v1/responses',
        body: { model: MODEL, input: 'Knots?', background: true },
      },
      speculative_completion: {
        route: SPECULATE,
        body: { model: NANO, messages: MESSAGES, temperature: 0, max_tokens: 8 },
      },
      consensus_completion: {
        route: AGREE,
        body: { messages: MESSAGES, member_models: [MODEL], synthesis_model: MODEL },
      },
      pipeline_completion: {
        route: '/api/v1/swarm/pipeline_orchestrator',
        body: { model: NANO, messages: MESSAGES, temperature: 0, max_tokens: 4 },
      },
    };
  }

  async #compute(): Promise<Products> {
    const { groups } = vectorsOf('proofs/vectors.json') as {
      readonly groups: readonly ProofGroup[];
    };
    const group = groups.find(({ scheme, curve }) => scheme === 'groth16' && curve === 'bn128');
    const key = { key_id: 'square', source: 'snarkjs', verification_key: group?.key };
    await this.ask('post', '/api/v1/zk_proofs/keys', key);
    const chat = { kind: 'chat', parameters: { model: MODEL, prompt: 'Knots?', max_tokens: 20 } };
    const definition = { nodes: [{ name: 'ask', ...chat }] };
    const workflows = '/api/v1/workflows';
    const { workflow_id } = await this.ask('post', workflows, { name: 'one', definition });
    const pixels = new Uint8Array(32 * 32 * 3);
    const call = { name: 'chat', arguments: { model: MODEL, prompt: 'Knots?', max_tokens: 20 } };
    return {
      workflow_run: { route: `${workflows}/run`, body: { workflow_id, inputs: {}, async: false } },
      agent_session: {
        route: '/api/v1/agents/orchestrate',
        body: { goal: 'Tell of knots.', planner_model: MODEL, max_steps: 2 },
      },
      mcp_tool_call: {
        route: '/api/v1/mcp',
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
        headers: { accept: 'application/json, text/event-stream' },
      },
      wasm_run: {
        route: '/api/v1/wasm/execute',
        body: { wasm_base64: moduleOf('hello'), entry_point: '_start', gas_limit: 1_000_000 },
      },
      spiking_run: { route: INFER, body: { model: SLUG, input_data: 'sort', timesteps: 2 } },
      spiking_batch: { route: BATCHES, body: { model: SLUG, inputs: ['sort'], timesteps: 2 } },
      proof_verification: {
        route: '/api/v1/zk_proofs/verify',
        body: {
          key_id: 'square',
          proof: group?.claims[0]?.proof,
          public_signals: group?.claims[0]?.signals,
        },
      },
      vision: {
        route: '/api/v1/stream/vision',
        body: { image_base64: encodePng({ width: 32, height: 32, pixels }).toString('base64') },
      },
      live_session: {
        route: '/api/v1/stream/webrtc',
        body: { resolution: '64x64', prompt: 'a red star' },
      },
      images: {
        route: '/api/v1/images/generations',
        body: { prompt: 'a red star', size: '32x32', quality: 'low' },
      },
    };
  }

  async #sound(): Promise<Products> {
    const json = await readFile(path.join(SPEECH, 'samples.json'), 'utf8');
    const recordings = JSON.parse(json) as readonly { readonly name: string }[];
    const samples = samplesIn(await readFile(path.join(SPEECH, recordings[0]?.name ?? '')));
    return {
      transcription: { route: '/v1/audio/transcriptions', recording: wavOf({ samples }) },
      long_transcription: {
        route: '/api/v1/audio/transcription_jobs',
        recording: wavOf({ samples: new Float32Array(RATE_HZ * 2) }),
      },
      speech: {
        route: '/v1/audio/speech',
        body: { model: 'tts-1-hd', input: 'Three knots.', voice: 'alloy' },
      },
    };
  }

  async #jobs(): Promise<Products> {
    const { files } = this.world.openai;
    const fileOf = async (purpose: 'batch' | 'fine-tune', lines: readonly object[]) => {
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      const file = await toFile(Buffer.from(text), 'lines.jsonl');
      return (await files.create({ file, purpose })).id;
    };
    const line = { custom_id: 'one', method: 'POST', url: CHATS, body: chatRequest() };
    const lesson = { messages: [...MESSAGES, { role: 'assistant', content: 'A cord has knots.' }] };
    const lessons = Array.from({ length: 10 }, () => lesson);
    const hyperparameters = { n_epochs: 1 };
    return {
      batch: {
        route: '/v1/batches',
        body: {
          input_file_id: await fileOf('batch', [line]),
          endpoint: CHATS,
          completion_window: '24h',
        },
      },
      fine_tuning: {
        route: '/v1/fine_tuning/jobs',
        body: {
          model: 'acme/student',
          training_file: await fileOf('fine-tune', lessons),
          method: { type: 'supervised', supervised: { hyperparameters } },
        },
      },
      distillation: {
        route: '/api/v1/distill/index.php',
        body: {
          ...{ teacher_model: 'acme/teacher', student_base_model: 'acme/student' },
          ...{ distillation_method: 'hybrid_loss', steps: 1, batch_size: 2 },
          job_name: 'small-one',
        },
      },
      quantization: {
        route: '/api/v1/quantize/bitnet.php',
        body: { model_name: 'acme/student', weight_bits: 4 },
      },
      rental: { route: '/api/v1/rentals', body: { rig: 'scripted', command: ['/bin/true'] } },
      scif_package: {
        route: '/api/v1/scif/package.php',
        body: { package_name: 'field-kit', model_source: NANO },
      },
    };
  }

  async #vaults(): Promise<Products> {
    const route = '/api/v1/vault/vector.php';
    const { vault } = await this.ask('post', '/api/v1/vaults', { name: 'Knots' });
    const { vault_uuid } = vault as Body;
    const ingest = (text: string) => ({
      route,
      body: { action: 'ingest', vault_uuid, document_title: 'Knots', payload_text: text },
    });
    return {
      vault_ingest: ingest('Knots hold a rope to a post.'),
      // More chunks than a request embeds.
      vault_ingest_job: ingest(`${'Knots on a cord. '.repeat(46)}\n\n`.repeat(66)),
      vault_search: { route, body: { action: 'search', vault_uuid, query: 'rope' } },
    };
  }

  async #rooms(): Promise<Products> {
    const roles = ['contributor', 'analyst'];
    const { cleanroom } = await this.ask('post', ROOMS, {
      ...{ name: 'Wait times', total_epsilon: 4, contributors_min: 1 },
      participants: roles.map((role) => ({ account_id: ACCOUNT, role })),
    });
    const { uuid } = cleanroom as { readonly uuid: string };
    const columns = [{ kind: 'category', name: 'clinic', values: ['north', 'south'] }];
    await this.ask('put', `${ROOMS}/${uuid}/schema`, { columns });
    const room = { cleanroom_uuid: uuid };
    const attested = await this.ask('post', ACTIONS, { action: 'attest_enclave', ...room });
    const attestation = attested as unknown as Attestation;
    const rows = Array.from({ length: 20 }, (_, at) => [at % 4 === 0 ? 'south' : 'north']);
    const deposit = async () => ({
      ...{ action: 'deposit_encrypted_data', schema_version: 1, ...room },
      enclave_key_id: attestation.enclave_key_id,
      sealed_rows: await sealRows(attestation, ACCOUNT, 1, rows),
    });
    // A room has no answer before it has rows.
    await this.ask('post', ACTIONS, await deposit());
    const prompt = { messages: MESSAGES };
    const { bytes } = await sealPrompt(attestation, ACCOUNT, NANO, prompt);
    return {
      cleanroom_deposit: { route: ACTIONS, body: await deposit() },
      cleanroom_query: {
        route: `${ROOMS}/${uuid}/queries`,
        body: { aggregate: 'count', epsilon: 1 },
      },
      cleanroom_enclave_chat: {
        route: CHATS,
        body: {
          ...{ model: NANO, routing_mode: 'cleanroom_enclave_infer', max_tokens: 4, ...room },
          enclave_key_id: attestation.enclave_key_id,
          messages: [{ role: 'user', content: bytes.toString('base64') }],
        },
      },
      cleanroom_fhe_evaluation: await this.#evaluation(room),
    };
  }

  async #evaluation(room: object): Promise<Products[string]> {
    const client = await FheClient.create('ckks-8192');
    const file = await toFile(client.evaluationKeys(2), 'keys.qfhe');
    const { id } = await this.world.openai.files.create({
      ...{ file, purpose: 'user_data' },
      expires_after: { anchor: 'created_at', seconds: 3_600 },
    });
    const content = client.encrypt([[1.5, -2]]);
    client.close();
    return {
      route: CHATS,
      body: {
        ...{ model: NANO, routing_mode: 'cleanroom_fhe_eval', ...room },
        messages: [{ role: 'user', content }],
        fhe: { key_file_id: id, operation: 'linear', length: 2, rows: 1, weights: [1, 2], bias: 0 },
      },
    };
  }

  #space(): Products {
    const { files } = vectorsOf('rasters/vectors.json') as { readonly files: readonly Raster[] };
    const tiff = files.find(({ name }) => name === 'stripped')?.tiff ?? '';
    return {
      observation_ingest: {
        route: '/api/v1/space/eo_ingest.php',
        body: {
          satellite_id: 'sentinel-2a',
          compressed_payload_hex: gzipSync(Buffer.from(tiff, 'base64')).toString('hex'),
        },
      },
      bundle_custody: {
        route: '/api/v1/dtn/bundle.php',
        body: {
          ...{ source_eid: 'dtn://quipu/out', destination_eid: 'dtn://moon/in' },
          payload_hex: '68656c6c6f',
        },
      },
    };
  }
}

interface ProofGroup {
  readonly scheme: string;
  readonly curve: string;
  readonly key: object;
  readonly claims: readonly { readonly proof: object; readonly signals: readonly string[] }[];
}

interface Raster {
  readonly name: string;
  readonly tiff: string;
}
