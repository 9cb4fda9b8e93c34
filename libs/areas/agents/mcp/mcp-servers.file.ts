import { z } from 'zod';
import { SettingsFile } from '#platform/runtime/areas/settings-file.js';

const McpServerEntry = z.strictObject({
  /** The names of its tools begin with it. */
  name: z.string().regex(/^[a-z][a-z0-9]{0,23}$/),
  /** Of its Streamable HTTP endpoint. */
  url: z.url({ protocol: /^https?$/ }),
  /** The environment variable that holds the bearer token; left out: it needs none. */
  bearer_token_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .exactOptional(),
  /** The tools that agents may call, by the names that the server gives them; left out: all. */
  tools: z.array(z.string().min(1).max(128)).max(128).exactOptional(),
});
export type McpServerEntry = z.infer<typeof McpServerEntry>;

const McpServersFile = z.strictObject({ servers: z.array(McpServerEntry).max(16) });

/**
 * The servers that a file lists.
 * @throws SettingsError that names the field, or the variable of a token that is not set
 */
export const readMcpServers = async (path: string): Promise<readonly McpServerEntry[]> => {
  const file = new SettingsFile('QUIPU_AGENT_MCP_SERVERS', path);
  const { servers } = await file.read(McpServersFile);
  const names = servers.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) file.reject(`two servers are called ${twin}`);
  for (const { name, bearer_token_env: variable } of servers) {
    if (variable === undefined || process.env[variable]) continue;
    file.reject(`the server ${name} needs the variable ${variable}, which is not set`);
  }
  return servers;
};
