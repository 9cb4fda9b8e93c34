import { z } from 'zod';
import { ServiceTier } from '#events/token-price.vocabulary.js';
import { rejectedField, rejectedFields } from '#platform/runtime/commands/rejected-request.js';
import { FileSearchTool } from './file-search.js';
import { isCalled, MCP_CALLS_MAX, McpTool, type RemoteTool } from './mcp-tool.js';

const TOP_LOGPROBS_MAX = 20;
const PAIRS_MAX = 16;
const LOGPROBS = 'message.output_text.logprobs';
const RESULTS = 'file_search_call.results';
/** Nothing of the second is ever there to be included: no reasoning is shown. */
const INCLUDABLE = [LOGPROBS, 'reasoning.encrypted_content', RESULTS] as const;

const text = z.string().max(512);

const TextFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: z.string().min(1).max(64),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
    description: z.string().nullish(),
  }),
]);

const FunctionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string().min(1).max(64),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
  description: z.string().nullish(),
});

const Tool = z.discriminatedUnion('type', [FunctionTool, FileSearchTool, McpTool], {
  error: 'only tools of the types function, file_search and mcp are supported',
});

const McpChoice = z.strictObject({
  type: z.literal('mcp'),
  server_label: z.string(),
  name: z.string().nullish(),
});

const ToolChoice = z.union(
  [
    z.enum(['none', 'auto', 'required']),
    z.strictObject({ type: z.literal('function'), name: z.string() }),
    z.strictObject({ type: z.literal('file_search') }),
    McpChoice,
  ],
  {
    error:
      'expected none, auto, required, {type: "function", name}, {type: "file_search"} or ' +
      '{type: "mcp", server_label, name}',
  },
);

/** Fields of a feature that is not here, by the values that turn it off. */
const off = (...values: readonly unknown[]) =>
  z
    .unknown()
    .refine((value) => value == null || values.includes(value), 'is not supported')
    .optional();

/**
 * Every field is known: an unsupported value is rejected with the field's name. The fields after
 * `metadata` are fields of a chat and go to the rig.
 */
export const ResponseBody = z.strictObject({
  model: z.string().min(1).max(256),
  input: z.unknown().optional(),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: off(false) }).nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  text: z
    .strictObject({
      format: TextFormat.nullish(),
      verbosity: z.enum(['low', 'medium', 'high']).nullish(),
    })
    .nullish(),
  tools: z.array(Tool).max(512).nullish(),
  tool_choice: ToolChoice.nullish(),
  top_logprobs: z.int().min(0).max(TOP_LOGPROBS_MAX).nullish(),
  include: z.array(z.enum(INCLUDABLE)).nullish(),
  reasoning: z.strictObject({ effort: text.nullish(), summary: off() }).nullish(),
  metadata: z
    .record(z.string().max(64), z.string().max(512))
    .refine(
      (pairs) => Object.keys(pairs).length <= PAIRS_MAX,
      `expected at most ${PAIRS_MAX} pairs`,
    )
    .nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  user: text.nullish(),
  safety_identifier: text.nullish(),
  prompt_cache_key: text.nullish(),
  prompt_cache_retention: text.nullish(),
  // As in a chat: a tier at another price is the operator's to allow.
  service_tier: ServiceTier.nullish(),
  routing_mode: z.string().optional(),
  cleanroom_uuid: z.uuid().nullish(),
  timesteps: z.int().min(1).max(64).optional(),
  // As in a chat, which checks them.
  provider: z.unknown().optional(),
  models: z.unknown().optional(),
  conversation: off(),
  prompt: off(),
  truncation: off('disabled'),
  max_tool_calls: z.int().min(1).max(MCP_CALLS_MAX).nullish(),
  context_management: off(),
});
export type ResponseBody = z.infer<typeof ResponseBody>;

/** @throws RejectedRequestError 400 that names the fields */
export const readResponseBody = (sent: unknown): ResponseBody => {
  const read = ResponseBody.safeParse(sent);
  if (!read.success) throw rejectedFields(read.error);
  const { input, previous_response_id: previous } = read.data;
  const isEmpty = input === undefined || (Array.isArray(input) && input.length === 0);
  if (isEmpty && previous == null) throw rejectedField('input', 'expected a string or items');
  if (read.data.background === true) rejectInBackground(read.data);
  const searches = read.data.tools?.filter(({ type }) => type === 'file_search') ?? [];
  if (searches.length > 1) throw rejectedField('tools', 'expected at most one file_search');
  return read.data;
};

/** The tool of a request whose files are searched, with its place; null: none. */
export const fileSearchOf = ({
  tools,
  tool_choice,
}: ResponseBody): { readonly tool: FileSearchTool; readonly at: string } | null => {
  if (!tools || tool_choice === 'none') return null;
  const n = tools.findIndex(({ type }) => type === 'file_search');
  const tool = tools[n];
  return tool?.type === 'file_search' ? { tool, at: `tools[${n}]` } : null;
};

/** The MCP servers of a request, each with its place. */
export const mcpToolsOf = ({
  tools,
  tool_choice,
}: ResponseBody): readonly { readonly tool: McpTool; readonly at: string }[] =>
  tool_choice === 'none'
    ? []
    : (tools ?? []).flatMap((tool, n) => (tool.type === 'mcp' ? { tool, at: `tools[${n}]` } : []));

export const includesResults = ({ include }: ResponseBody): boolean =>
  include?.includes(RESULTS) === true;

/** Whether the gateway does the work of a tool itself. */
export const isHosted = (type: unknown): boolean => type === 'file_search' || type === 'mcp';

/** @throws RejectedRequestError 400 where the gateway would have to run a tool itself */
export const rejectHostedTools = ({ tools, tool_choice }: ResponseBody, where: string): void => {
  if (!tools || tool_choice === 'none') return;
  const n = tools.findIndex(({ type }) => isHosted(type));
  const type = tools[n]?.type;
  if (type) throw rejectedField(`tools[${n}].type`, `${where} has no tool of the type ${type}`);
};

const rejectInBackground = (body: ResponseBody): void => {
  rejectHostedTools(body, 'a response in the background');
  const { store, stream } = body;
  if (stream === true) {
    throw rejectedField('stream', 'a response in the background is polled; leave stream out');
  }
  if (store === false) {
    throw rejectedField('store', 'a response in the background is stored; leave store out');
  }
};

/**
 * The fields of the chat request made from a body, without its messages.
 * @param remote the tools of MCP servers that its model may call
 */
export const chatFieldsOf = (
  body: ResponseBody,
  remote: readonly RemoteTool[] = [],
): Readonly<Record<string, unknown>> => {
  const { model, max_output_tokens, stream, text: written, tools, tool_choice, reasoning } = body;
  const { top_logprobs, include } = body;
  const ofServer = serverChosen(tool_choice);
  const functions =
    ofServer === null
      ? [...(tools ?? []).flatMap(functionOf), ...remote.map(remoteFunctionOf)]
      : remote.filter(({ server }) => server === ofServer).map(remoteFunctionOf);
  const hasOnlyHosted = functions.length === 0 && tools?.some(({ type }) => isHosted(type));
  const wantsLogprobs = include?.includes(LOGPROBS) === true || (top_logprobs ?? 0) > 0;
  return present({
    model,
    stream,
    // The details of the usage are in the last chunk.
    stream_options: stream === true ? { include_usage: true } : undefined,
    max_tokens: max_output_tokens,
    response_format: formatOf(written?.format),
    verbosity: written?.verbosity,
    tools: hasOnlyHosted || !tools ? undefined : functions,
    tool_choice: hasOnlyHosted ? undefined : toolChoiceOf(tool_choice, remote),
    reasoning_effort: reasoning?.effort,
    logprobs: wantsLogprobs ? true : undefined,
    top_logprobs: wantsLogprobs && top_logprobs !== 0 ? top_logprobs : undefined,
    temperature: body.temperature,
    top_p: body.top_p,
    parallel_tool_calls: body.parallel_tool_calls,
    user: body.user,
    safety_identifier: body.safety_identifier,
    prompt_cache_key: body.prompt_cache_key,
    prompt_cache_retention: body.prompt_cache_retention,
    service_tier: body.service_tier,
    routing_mode: body.routing_mode,
    cleanroom_uuid: body.cleanroom_uuid,
    timesteps: body.timesteps,
    provider: body.provider,
    models: body.models,
  });
};

const present = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));

const functionOf = (tool: z.infer<typeof Tool>) => {
  if (tool.type !== 'function') return [];
  const { type, ...declared } = tool;
  return [{ type, function: present(declared) }];
};

const remoteFunctionOf = ({ calledAs: name, description, parameters }: RemoteTool) => ({
  type: 'function',
  function: { name, description, parameters },
});

const formatOf = (format: z.infer<typeof TextFormat> | null | undefined): unknown => {
  if (format?.type !== 'json_schema') return format ?? undefined;
  const { type, ...schema } = format;
  return { type, json_schema: present(schema) };
};

/** The server of which some tool must be called, so that the chat has no others; null: none. */
const serverChosen = (choice: ResponseBody['tool_choice']): string | null =>
  typeof choice === 'object' && choice?.type === 'mcp' && choice.name == null
    ? choice.server_label
    : null;

/** Files are searched before the chat, whatever its model would choose. */
const toolChoiceOf = (
  choice: ResponseBody['tool_choice'],
  remote: readonly RemoteTool[],
): unknown => {
  if (typeof choice !== 'object' || choice === null) return choice;
  switch (choice.type) {
    case 'function':
      return { type: choice.type, function: { name: choice.name } };
    case 'file_search':
      return undefined;
    case 'mcp': {
      const { server_label, name } = choice;
      if (name == null) return 'required';
      const { calledAs } =
        remote.find((tool) => tool.server === server_label && isCalled(tool, name)) ??
        unknownChoice(`${server_label} has no allowed tool ${name} among the tools`);
      return { type: 'function', function: { name: calledAs } };
    }
  }
};

const unknownChoice = (why: string): never => {
  throw rejectedField('tool_choice', why);
};
