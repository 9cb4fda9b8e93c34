import { describe, expect, it } from '@jest/globals';
import { isAllowable, OperatorFields, type RigServer } from './operator-fields.js';

const SERVERS: readonly RigServer[] = ['vllm', 'sglang', 'llama.cpp', 'ollama', 'openai'];

const rejectedBy = (server: RigServer | null, body: Readonly<Record<string, unknown>>) =>
  new OperatorFields(server).firstIn(body);

describe('the fields that callers may not set', () => {
  it.each<[RigServer, string, unknown]>([
    ['vllm', 'priority', -1],
    ['vllm', 'request_id', 'mine'],
    ['vllm', 'kv_transfer_params', { do_remote_prefill: true }],
    ['vllm', 'chat_template', '{{ messages }}'],
    ['vllm', 'chat_template_kwargs', { enable_thinking: false }],
    ['vllm', 'guided_decoding_backend', 'outlines'],
    ['vllm', 'add_generation_prompt', false],
    ['vllm', 'continue_final_message', true],
    ['vllm', 'mm_processor_kwargs', {}],
    ['vllm', 'cache_salt', 's'],
    ['vllm', 'truncate_prompt_tokens', 1],
    ['vllm', 'prompt_logprobs', 5],
    ['vllm', 'stream_interval', 64],
    ['sglang', 'custom_logit_processor', '80049'],
    ['sglang', 'bootstrap_host', '10.0.0.1'],
    ['llama.cpp', 'id_slot', 2],
    ['llama.cpp', 'slot_id', 2],
    ['llama.cpp', 'cache_prompt', false],
    ['llama.cpp', 'lora', [{ id: 0, scale: 1 }]],
    ['llama.cpp', 'samplers', ['top_k']],
    ['llama.cpp', 'speculative.n_max', 16],
    ['llama.cpp', 'response_fields', ['content']],
    ['ollama', 'options', { num_predict: -1 }],
    ['ollama', 'keep_alive', -1],
    ['openai', 'service_tier', 'priority'],
    ['openai', 'speed', 'fast'],
    ['openai', 'inference_geo', 'us'],
    ['openai', 'store', true],
  ])('%s: %s', (server, field, value) => {
    expect(rejectedBy(server, { model: 'm', [field]: value })).toBe(field);
    // A server that is not known may be this one.
    expect(rejectedBy(null, { model: 'm', [field]: value })).toBe(field);
  });

  it('are only the fields of the server, where it is known', () => {
    expect(rejectedBy('openai', { id_slot: 2, priority: -1, 'speculative.n_max': 1 })).toBe(
      undefined,
    );
    expect(rejectedBy('vllm', { service_tier: 'priority', keep_alive: -1 })).toBe(undefined);
  });

  it.each<[string, unknown]>([
    ['priority', 0],
    ['cache_prompt', true],
    ['add_generation_prompt', true],
    ['service_tier', 'auto'],
    ['store', false],
    ['best_of', 1],
    ['use_beam_search', false],
    ['chat_template', null],
    ['options', undefined],
  ])('may be there with the value that asks for nothing: %s %j', (field, value) => {
    expect(rejectedBy(null, { [field]: value })).toBe(undefined);
  });

  it('leave all others alone', () => {
    const body = {
      model: 'm',
      messages: [],
      max_tokens: 5,
      n: 2,
      top_k: 40,
      min_p: 0.1,
      tools: [],
      documents: [{ title: 't', text: 'x' }],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
      constructor: 'odd',
      'X-Custom': 1,
    };
    for (const server of [...SERVERS, null]) expect(rejectedBy(server, body)).toBe(undefined);
  });

  it.each<[string, unknown]>([
    ['best_of', 4],
    ['use_beam_search', true],
    ['n_predict', 100_000],
    ['n_cmpl', 8],
  ])('include on every server the fields that lift the bound of the output: %s', (field, value) => {
    for (const server of [...SERVERS, null]) {
      expect(new OperatorFields(server, [field]).firstIn({ [field]: value })).toBe(field);
    }
    expect(isAllowable(field)).toBe(false);
  });

  it.each(['Max_Tokens', 'MAX_TOKENS', 'max_token\u017f', 'N', 'Messages', 'Keep_Alive'])(
    'include another spelling of a field that matters, even without a value: %s',
    (field) => {
      expect(rejectedBy(null, { max_tokens: 5, [field]: null })).toBe(field);
    },
  );

  it('can be left to callers by the operator', () => {
    const fields = new OperatorFields('vllm', ['chat_template_kwargs']);
    expect(fields.firstIn({ chat_template_kwargs: { enable_thinking: false } })).toBe(undefined);
    expect(fields.firstIn({ chat_template: 'x' })).toBe('chat_template');
    expect(isAllowable('chat_template_kwargs')).toBe(true);
  });
});
