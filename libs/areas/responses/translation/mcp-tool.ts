import { z } from 'zod';
import { type Fields } from '#platform/chats/read-answer.js';
import { foreignToolName } from '#platform/tools/foreign-tool.js';

const NAMES_MAX = 128;
/** Calls of tools of MCP servers in one response. */
export const MCP_CALLS_MAX = 32;
/** Chats of one response; the last one cannot call a tool of an MCP server. */
export const MCP_CHATS_MAX = 16;

const Names = z.array(z.string().min(1).max(256)).max(NAMES_MAX);
const Filter = z.strictObject({ tool_names: Names.optional(), read_only: z.boolean().optional() });
type Filter = z.infer<typeof Filter>;

const REGISTERED = 'register the server with its credentials (POST /api/v1/mcp/servers)';

/** A field by which a request would bring its own server, or the secrets of one. */
const registeredInstead = z
  .unknown()
  .refine((value) => value == null, `is not supported; ${REGISTERED}, and name it by server_label`)
  .optional();

/** The tools of an MCP server that the account has registered. */
export const McpTool = z.strictObject({
  type: z.literal('mcp'),
  /** The name of the registered server. */
  server_label: z.string().min(1).max(64),
  /** Must be the registered address. */
  server_url: z.string().max(2_048).nullish(),
  server_description: z.string().max(2_000).nullish(),
  allowed_tools: z.union([Names, Filter], { error: 'expected names, or a filter' }).nullish(),
  require_approval: z
    .union(
      [
        z.enum(['always', 'never']),
        z.strictObject({ always: Filter.optional(), never: Filter.optional() }),
      ],
      { error: 'expected always, never, or a filter for one of them' },
    )
    .nullish(),
  connector_id: registeredInstead,
  tunnel_id: registeredInstead,
  authorization: registeredInstead,
  headers: registeredInstead,
  defer_loading: z.literal(false).optional(),
});
export type McpTool = z.infer<typeof McpTool>;

/** A tool of a registered server, as its server describes it now. */
export interface ListedTool {
  /** As the account knows it. */
  readonly name: string;
  /** As its server calls it. */
  readonly ownName: string;
  readonly description: string;
  readonly parameters: Fields;
  readonly annotations: Fields | null;
}

/** A tool that the model of a response may call. */
export interface RemoteTool extends ListedTool {
  readonly server: string;
  /** By the model. */
  readonly calledAs: string;
  readonly needsApproval: boolean;
}

/** The tools that a request chooses of a server. */
export const chosenTools = (
  { server_label: server, server_description: about, allowed_tools, require_approval }: McpTool,
  listed: readonly ListedTool[],
): readonly RemoteTool[] => {
  const allowed = Array.isArray(allowed_tools) ? { tool_names: allowed_tools } : allowed_tools;
  return listed
    .filter((tool) => matches(tool, allowed ?? {}))
    .map((tool) => ({
      ...tool,
      server,
      calledAs: foreignToolName(server, tool.name),
      description: about == null ? tool.description : `${about}\n${tool.description}`,
      needsApproval: needsApproval(tool, require_approval ?? 'always'),
    }));
};

/** Whether a request names the tool: by the name that the account knows, or by its own. */
export const isCalled = ({ name, ownName }: ListedTool, asked: string): boolean =>
  asked === name || asked === ownName;

const matches = (tool: ListedTool, { tool_names, read_only }: Filter): boolean =>
  (tool_names === undefined || tool_names.some((name) => isCalled(tool, name))) &&
  (read_only === undefined || read_only === (tool.annotations?.['readOnlyHint'] === true));

/** A tool that neither filter names needs an approval, as in OpenAI's API. */
const needsApproval = (
  tool: ListedTool,
  rule: NonNullable<McpTool['require_approval']>,
): boolean => {
  if (typeof rule === 'string') return rule === 'always';
  const { always, never } = rule;
  if (always && matches(tool, always)) return true;
  return never === undefined || !matches(tool, never);
};
