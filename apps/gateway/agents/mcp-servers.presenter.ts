import { type OwnedServer, statusOf } from '#areas/agents/registered-servers/owned-servers.js';
import { type OwnedServers } from '#areas/agents/registered-servers/servers.query.js';
import { foreignToolName } from '#platform/tools/foreign-tool.js';
import { type McpServerAnswerDto, type McpServersDto } from './mcp-servers.dto.js';

export const presentServer = (owned: OwnedServer): McpServerAnswerDto => ({
  success: true,
  server: serverOf(owned),
});

export const presentServers = ({ servers, position }: OwnedServers): McpServersDto => ({
  success: true,
  servers: servers.map(serverOf),
  position: position.toString(),
});

const serverOf = ({ server, url, described }: OwnedServer): McpServerAnswerDto['server'] => {
  const { server: name, sealedCredentials, registeredAt } = server.registered;
  return {
    name,
    url,
    has_credentials: sealedCredentials !== null,
    tools: [...server.tools].map(([tool, known]) => {
      const now = described.get(tool);
      return {
        name: tool,
        called_as: foreignToolName(name, tool),
        status: statusOf(known),
        known_sha256: known.sha256,
        schema_sha256: now?.sha256 ?? null,
        description: now?.description ?? null,
        input_schema: now?.parameters ?? null,
      };
    }),
    registered_at: registeredAt,
  };
};
