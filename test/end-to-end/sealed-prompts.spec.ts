import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { type Bootstrap } from '#apps/composition/bootstrap.js';
import { openReply } from '#engines/enclave/hpke.js';
import { freePorts } from '../servers/server-process.js';
import { Member } from './fleet.harness.js';
import { canariesInMemory, childrenOf } from './process-memory.fixture.js';
import { ACTIONS, type Attestation, ROOMS, sealPrompt } from './sealed-rooms.fixture.js';

const MODEL = 'quipu/nano';
/** The gateway sees the name of the room: a search that finds nothing would find nothing there. */
const ROOM_NAME = 'canary-of-the-room-5d1f0c';
const PROMPT = 'canary-of-the-prompt-9b7e42';
const ANSWERS = 8;

const catalog = (): string => `
rigs:
  - { name: built-in, kind: embedded }
models:
  - { id: ${MODEL}, owned_by: quipu, rigs: [built-in], file: ${path.resolve('models/nano.gguf')},
      context: 1024, price: { input_usd_per_mtok: 0, output_usd_per_mtok: 0 } }
`;

describe('the process of a gateway', () => {
  let home: string;
  let gateway: Member;
  let credentials: Bootstrap;

  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'quipu-canary-'));
    const catalogFile = path.join(home, 'catalog.yaml');
    await writeFile(catalogFile, catalog());
    const [port = 0] = await freePorts(1);
    gateway = new Member('gateway', 'standalone', port, {
      QUIPU_HOME: home,
      QUIPU_CATALOG: catalogFile,
      QUIPU_LOG_LEVEL: 'debug',
      QUIPU_PROCESSES: '1',
    });
    await gateway.start();
    credentials = JSON.parse(
      await readFile(path.join(home, 'bootstrap.json'), 'utf8'),
    ) as Bootstrap;
  });

  afterAll(async () => {
    await gateway.end('SIGTERM');
    await rm(home, { recursive: true, force: true });
  });

  const post = async (url: string, body: object): Promise<unknown> => {
    const headers = {
      authorization: `Bearer ${credentials.api_key}`,
      'content-type': 'application/json',
    };
    const response = await fetch(`${gateway.url}${url}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    return response.json();
  };

  /** A reply of the enclave to the canary, in the clear. */
  const ask = async (attestation: Attestation): Promise<string> => {
    const prompt = { messages: [{ role: 'user', content: PROMPT }] };
    const exchange = await sealPrompt(attestation, '1', MODEL, prompt);
    const answer = (await post('/v1/chat/completions', {
      model: MODEL,
      routing_mode: 'cleanroom_enclave_infer',
      cleanroom_uuid: attestation.cleanroom_uuid,
      max_tokens: 48,
      messages: [{ role: 'user', content: exchange.bytes.toString('base64') }],
    })) as OpenAI.ChatCompletion;
    const sealed = Buffer.from(answer.choices[0]?.message.content ?? '', 'base64');
    return (JSON.parse(openReply(exchange, sealed).toString()) as { content: string }).content;
  };

  it('has neither prompt nor reply in its memory or its log', async () => {
    const created = (await post(ROOMS, { name: ROOM_NAME, total_epsilon: 1 })) as {
      readonly cleanroom: { readonly uuid: string };
    };
    const attest = { action: 'attest_enclave', cleanroom_uuid: created.cleanroom.uuid };
    const attestation = (await post(ACTIONS, attest)) as Attestation;
    const replies: string[] = [];
    for (let at = 0; at < ANSWERS; at += 1) replies.push(await ask(attestation));
    // Long enough that nothing else has the text by chance.
    const long = replies.map((reply) => reply.trim()).filter((reply) => reply.length >= 24);
    expect(long.length).toBeGreaterThan(0);

    const { pid = 0 } = gateway;
    const canaries = [ROOM_NAME, PROMPT, ...long];
    expect(await canariesInMemory(pid, canaries)).toEqual([ROOM_NAME]);
    for (const canary of [PROMPT, ...long]) expect(gateway.output).not.toContain(canary);
    // The search finds a prompt where it was opened.
    const enclaves = await childrenOf(pid);
    const found = await Promise.all(enclaves.map((child) => canariesInMemory(child, [PROMPT])));
    expect(found.flat()).toContain(PROMPT);
  });
});
