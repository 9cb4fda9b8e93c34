import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { SettingsError } from '#platform/runtime/areas/settings.js';

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

const reject = (file: string, why: string): never => {
  throw new SettingsError(`QUIPU_AGENT_MCP_SERVERS: ${file}: ${why}`);
};

/**
 * The servers that a file lists.
 * @throws SettingsError that names the field, or the variable of a token that is not set
 */
export const readMcpServers = async (file: string): Promise<readonly McpServerEntry[]> => {
  const text = await readFile(file, 'utf8').catch(() => reject(file, 'cannot be read'));
  const parsed = McpServersFile.safeParse(jsonIn(file, text));
  if (!parsed.success) return reject(file, z.prettifyError(parsed.error));
  const { servers } = parsed.data;
  const names = servers.map(({ name }) => name);
  const twin = names.find((name, index) => names.indexOf(name) !== index);
  if (twin !== undefined) reject(file, `two servers are called ${twin}`);
  for (const { name, bearer_token_env: variable } of servers) {
    if (variable === undefined || process.env[variable]) continue;
    reject(file, `the server ${name} needs the variable ${variable}, which is not set`);
  }
  return servers;
};

const jsonIn = (file: string, text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return reject(file, 'is not JSON');
  }
};
