import { type JsonObject } from './chat-backend.js';

/** The server behind a rig. */
export type RigServer = 'vllm' | 'sglang' | 'llama.cpp' | 'ollama' | 'openai' | 'anthropic';

/**
 * Fields that callers may not set, each with the values that ask for nothing. `null` always asks
 * for nothing, as if the field were absent.
 */
type FieldList = Readonly<Record<string, readonly unknown[]>>;

/**
 * Fields that multiply the output or lift its bound, so that a rig would do more than was held. No
 * rig may allow them. `n` is in the hold and therefore not here.
 */
const UNHELD: FieldList = {
  best_of: [1],
  use_beam_search: [false],
  // llama.cpp prefers its own names to `max_tokens` and `n`.
  n_predict: [],
  n_cmpl: [],
};

/** vLLM, `ChatCompletionRequest`, also of versions before 1.0. */
const VLLM: FieldList = {
  // The queue, the caches and the other nodes of the operator.
  priority: [0],
  request_id: [],
  session_id: [],
  cache_salt: [],
  kv_transfer_params: [],
  ec_transfer_params: [],
  vllm_xargs: [],
  logits_processors: [],
  guided_decoding_backend: [],
  // The template, and the part of the prompt that the model sees.
  chat_template: [],
  chat_template_kwargs: [],
  add_generation_prompt: [true],
  continue_final_message: [false],
  add_special_tokens: [false],
  truncate_prompt_tokens: [],
  truncation_side: [],
  mm_processor_kwargs: [],
  media_io_kwargs: [],
  // Parts of the prompt in the answer, and the division into chunks, which Quipu counts.
  echo: [false],
  prompt_logprobs: [],
  return_prompt_text: [false],
  routed_experts_prompt_start: [0],
  stream_interval: [1],
};

/** SGLang, `ChatCompletionRequest`. */
const SGLANG: FieldList = {
  priority: [0],
  rid: [],
  session_params: [],
  extra_key: [],
  cache_salt: [],
  lora_path: [],
  // Python objects that the server unpacks and runs.
  custom_logit_processor: [],
  custom_params: [],
  custom_labels: [],
  bootstrap_host: [],
  bootstrap_port: [],
  bootstrap_room: [],
  data_parallel_rank: [],
  routed_dp_rank: [],
  disagg_prefill_dp_rank: [],
  return_hidden_states: [false],
  chat_template_kwargs: [],
  continue_final_message: [false],
};

/** llama.cpp, `tools/server`. */
const LLAMA_CPP: FieldList = {
  id_slot: [-1],
  slot_id: [-1],
  cache_prompt: [true],
  n_cache_reuse: [],
  n_keep: [],
  n_discard: [],
  t_max_predict_ms: [],
  lora: [],
  samplers: [],
  backend_sampling: [],
  n_probs: [0],
  min_keep: [0],
  post_sampling_probs: [false],
  chat_template: [],
  chat_template_kwargs: [],
  chat_format: [],
  chat_parser: [],
  generation_prompt: [],
  add_generation_prompt: [true],
  continue_final_message: [false],
  parse_tool_calls: [],
  preserved_tokens: [],
  grammar_lazy: [],
  grammar_triggers: [],
  grammar_type: [],
  echo: [false],
  verbose: [false],
  response_fields: [],
  return_progress: [false],
  sse_ping_interval: [],
};

/** Ollama; the first two are of its own interface, which proxies in front of it pass on. */
const OLLAMA: FieldList = {
  options: [],
  keep_alive: [],
  _debug_render_only: [false],
};

/** OpenAI and similar providers: fields that cost the operator more, or store data there. */
const OPENAI: FieldList = {
  service_tier: ['auto', 'default'],
  // As Anthropic has them: at a higher price.
  speed: ['standard'],
  inference_geo: ['global'],
  store: [false],
  web_search_options: [],
};

/** Anthropic: fields that cost the operator more, or refer to its account. */
const ANTHROPIC: FieldList = {
  service_tier: ['auto', 'default', 'standard_only'],
  speed: ['standard'],
  inference_geo: [],
  container: [],
  mcp_servers: [],
  workspace_id: [],
  user_profile_id: [],
};

const LISTS: Readonly<Record<RigServer, FieldList>> = {
  vllm: VLLM,
  sglang: SGLANG,
  'llama.cpp': LLAMA_CPP,
  ollama: OLLAMA,
  openai: OPENAI,
  anthropic: ANTHROPIC,
};

/** Speculative decoding of llama.cpp: `speculative.n_max` and so on. */
const LLAMA_CPP_PREFIX = 'speculative.';

/**
 * Fields that Quipu bounds or writes. Servers in Go read names without regard to case, so another
 * spelling of one of these would replace it there.
 */
const BOUND_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'input',
  'max_tokens',
  'max_completion_tokens',
  'n',
  'stream',
  'stream_options',
  'temperature',
]);

const USUAL_NAME = /^[a-z0-9_.-]*$/;

/** As Go compares names: `ſ` is a spelling of `s`, and the sign of kelvin one of `k`. */
const folded = (field: string): string => field.toUpperCase().toLowerCase();

/** The fields that the callers of one rig may not set. */
export class OperatorFields {
  readonly #refused = new Map<string, readonly unknown[]>();
  readonly #prefix: string | null;

  /**
   * @param server null when it is not known: then the fields of every server are refused
   * @param allowed fields that the operator of this rig leaves to callers
   */
  constructor(server: RigServer | null, allowed: readonly string[] = []) {
    const lists = server === null ? Object.values(LISTS) : [LISTS[server]];
    for (const list of lists) this.#add(list);
    for (const field of allowed) this.#refused.delete(field);
    this.#add(UNHELD);
    this.#prefix = server === null || server === 'llama.cpp' ? LLAMA_CPP_PREFIX : null;
  }

  /** The first field of a body that its caller may not set. */
  firstIn(body: JsonObject): string | undefined {
    for (const field in body) if (this.#refuses(field, body[field])) return field;
    return undefined;
  }

  #add(list: FieldList): void {
    for (const [field, idle] of Object.entries(list)) this.#refused.set(field, idle);
  }

  #refuses(field: string, value: unknown): boolean {
    // Most fields of a body are bound ones, which no server refuses.
    if (BOUND_FIELDS.has(field)) return false;
    if (!USUAL_NAME.test(field)) {
      const name = folded(field);
      return name !== field && (BOUND_FIELDS.has(name) || this.#refused.has(name));
    }
    if (value === null || value === undefined) return false;
    const idle = this.#refused.get(field);
    if (idle) return !idle.includes(value);
    return this.#prefix !== null && field.startsWith(this.#prefix);
  }
}

/** Whether the operator of a rig may leave this field to callers. */
export const isAllowable = (field: string): boolean => !Object.hasOwn(UNHELD, field);
