import { type MessagesRequest } from './messages.schema.js';

type Block = Readonly<Record<string, unknown>> & { readonly type: string };

/** The blocks of a turn. */
const blocksOf = ({ content }: MessagesRequest['messages'][number]): readonly Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** What the documentation demands beyond the shape; null for a request that is in order. */
export const violationOf = (
  request: MessagesRequest,
  { version, betas }: { readonly version: string; readonly betas: readonly string[] },
  isSigned: (signature: string) => boolean,
): string | null =>
  versionFault(request, version) ??
  betaFault(request, betas) ??
  samplingFault(request) ??
  turnsFault(request) ??
  toolsFault(request) ??
  signatureFault(request, isSigned) ??
  cacheFault(request);

/** 2026-10-21 has dropped the sampling parameters. */
const versionFault = (request: MessagesRequest, version: string): string | null => {
  if (version !== '2026-10-21') return null;
  const field = (['temperature', 'top_p', 'top_k'] as const).find(
    (name) => request[name] !== undefined,
  );
  return field === undefined ? null : `${field}: Extra inputs are not permitted`;
};

const betaFault = (request: MessagesRequest, betas: readonly string[]): string | null =>
  request.context_management && !betas.includes('context-management-2025-06-27')
    ? 'context_management: Extra inputs are not permitted'
    : null;

const samplingFault = ({
  thinking,
  temperature,
  top_p: topP,
  top_k: topK,
  max_tokens: max,
  tool_choice: choice,
}: MessagesRequest): string | null => {
  if (temperature !== undefined && topP !== undefined) {
    return '`temperature` and `top_p` cannot both be specified for this model.';
  }
  if (!thinking || thinking.type === 'disabled') return null;
  if (temperature !== undefined && temperature !== 1) {
    return '`temperature` may only be set to 1 when thinking is enabled.';
  }
  if (topK !== undefined) return '`top_k` must be unset when thinking is enabled.';
  if (choice?.type === 'any' || choice?.type === 'tool') {
    return 'Thinking may not be enabled when tool_choice forces tool use.';
  }
  return thinking.type === 'enabled' && thinking.budget_tokens >= max
    ? '`max_tokens` must be greater than `thinking.budget_tokens`.'
    : null;
};

/** The first turn is the user's; each call has its result at the start of the next turn. */
const turnsFault = ({ messages }: MessagesRequest): string | null => {
  if (messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  let owed: readonly string[] = [];
  for (const [n, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const ids = results.map((block) => String(block['tool_use_id']));
    const missing = owed.find((id) => !ids.includes(id));
    if (missing !== undefined) {
      return `messages.${n - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    }
    const foreign = ids.find((id) => !owed.includes(id));
    if (foreign !== undefined) {
      return `messages.${n}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${foreign}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    }
    if (new Set(ids).size < ids.length) return `messages.${n}: each tool_use must have one result`;
    if (results.length > 0 && blocks[0]?.type !== 'tool_result') {
      return `messages.${n}: \`tool_result\` blocks must come first`;
    }
    owed = blocks.filter(({ type }) => type === 'tool_use').map((block) => String(block['id']));
  }
  const [open] = owed;
  return open === undefined
    ? null
    : `messages.${messages.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open}.`;
};

const toolsFault = ({
  tools = [],
  tool_choice: choice,
  messages,
}: MessagesRequest): string | null => {
  const names = tools.map(({ name }) => name);
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  if (choice && names.length === 0)
    return 'tool_choice: may only be specified while providing tools.';
  if (choice?.type === 'tool' && !names.includes(choice.name)) {
    return `tool_choice.name: Tool '${choice.name}' not found in provided tools`;
  }
  const usesTools = messages.some((message) =>
    blocksOf(message).some(({ type }) => type === 'tool_use'),
  );
  return usesTools && names.length === 0
    ? 'Requests which include `tool_use` or `tool_result` blocks must define tools'
    : null;
};

const signatureFault = (
  { messages }: MessagesRequest,
  isSigned: (signature: string) => boolean,
): string | null => {
  for (const [n, message] of messages.entries()) {
    for (const [m, block] of blocksOf(message).entries()) {
      const sealed = block.type === 'thinking' ? block['signature'] : block['data'];
      if (block.type !== 'thinking' && block.type !== 'redacted_thinking') continue;
      const text = block.type === 'thinking' ? String(block['thinking']) : '';
      if (!isSigned(`${text}\n${String(sealed)}`)) {
        return `messages.${n}.content.${m}: Invalid \`signature\` in \`thinking\` block`;
      }
    }
  }
  return null;
};

const BREAKPOINTS_MAX = 4;

const cacheFault = (request: MessagesRequest): string | null => {
  const marks = [
    ...(request.tools ?? []),
    ...(typeof request.system === 'string' ? [] : (request.system ?? [])),
    ...request.messages.flatMap(blocksOf),
  ].flatMap((block) =>
    'cache_control' in block && block.cache_control ? [block.cache_control] : [],
  );
  if (marks.length > BREAKPOINTS_MAX) {
    return `A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`;
  }
  const lives = marks.map((mark) => (mark as { readonly ttl?: string }).ttl ?? '5m');
  const firstShort = lives.indexOf('5m');
  return firstShort >= 0 && lives.indexOf('1h', firstShort) >= 0
    ? "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block"
    : null;
};
