import { thought } from '../providers/anthropic/anthropic.fake.js';

/** Long enough for a cache. */
export const RULES = 'Tie each knot on the right cord, and count twice. '.repeat(120);

export interface Counted {
  readonly all: number;
  readonly cached: number;
}

export const rateOf = (turns: readonly Counted[]): number =>
  turns.reduce((sum, { cached }) => sum + cached, 0) / turns.reduce((sum, { all }) => sum + all, 0);

/** A request as a client writes it, with the names and spaces that it likes. */
export interface Turn {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A conversation in the manner of Claude Code: its whole history, marked for the cache. */
export const claudeCode = (turns: number): readonly Turn[] => {
  const messages: object[] = [];
  return Array.from({ length: turns }, (_, n) => {
    const mark = { cache_control: { type: 'ephemeral' } };
    messages.push({
      role: 'user',
      content: [{ type: 'text', text: `Step ${n}. ${RULES}`, ...mark }],
    });
    const kept = messages.map((message, at) =>
      at < messages.length - 3 ? unmarked(message) : message,
    );
    const body = {
      model: 'our/opus',
      max_tokens: 4_096,
      stream: true,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cc_is_subagent=false;' },
        { type: 'text', text: RULES, cache_control: { type: 'ephemeral', ttl: '1h' } },
      ],
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      metadata: { user_id: 'user_1_session_2' },
      tools: [{ name: 'Bash', input_schema: { type: 'object' }, defer_loading: false }],
      messages: kept,
    };
    messages.push({
      role: 'assistant',
      content: [thought('Hm.'), { type: 'text', text: `Done ${n}.` }],
    });
    return {
      path: '/v1/messages?beta=true',
      headers: {
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'context-management-2025-06-27,a-beta-of-tomorrow',
        'x-claude-code-session-id': 's-1',
      },
      body: JSON.stringify(body, null, 1),
    };
  });
};

const unmarked = (message: object): object => {
  const { content, ...rest } = message as { content: object[] };
  return {
    ...rest,
    content: content.map((block) => {
      const { cache_control: _mark, ...plain } = block as { cache_control?: unknown };
      return plain;
    }),
  };
};

/** A conversation in the manner of Codex: sealed reasoning goes back, nothing is stored. */
export const codex = (turns: number): readonly Turn[] => {
  const input: object[] = [];
  return Array.from({ length: turns }, (_, n) => {
    input.push({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: `Step ${n}. ${RULES}` }],
    });
    const body = {
      model: 'our/sol',
      instructions: RULES,
      input: [...input],
      tools: [{ type: 'custom', name: 'apply_patch', format: { type: 'grammar' } }],
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'high', summary: 'auto' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'thread-1',
    };
    input.push(
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c2VhbGVk' },
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: `Done ${n}.` }],
      },
    );
    return {
      path: '/v1/responses',
      headers: { originator: 'codex_cli_rs' },
      body: JSON.stringify(body),
    };
  });
};

const dataIn = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)) as Record<string, unknown>);

export const anthropicCounts = (text: string): Counted => {
  const end = dataIn(text).find(({ type }) => type === 'message_delta');
  const usage = end?.['usage'] as Record<string, number>;
  const { input_tokens = 0, cache_read_input_tokens = 0, cache_creation_input_tokens = 0 } = usage;
  const all = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return { all, cached: cache_read_input_tokens };
};

export const responseCounts = (text: string): Counted => {
  const end = dataIn(text).find(({ type }) => type === 'response.completed');
  const { usage } = end?.['response'] as {
    usage: { input_tokens: number; input_tokens_details: { cached_tokens: number } };
  };
  return { all: usage.input_tokens, cached: usage.input_tokens_details.cached_tokens };
};
