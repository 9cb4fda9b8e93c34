import { type McpListedTool } from '#events/agents/mcp-server.events.js';
import { DomainError } from '#platform/kernel/domain-error.js';
import { ToolError } from '#platform/tools/tool.js';
import { type AgentsErrorCode } from '../agents.errors.js';
import { type RegisteredServer, type RegisteredTool } from './registered-servers.decider.js';
import { type DescribedTool } from './server-sessions.js';

/** A server as its owner sees it. */
export interface OwnedServer {
  readonly server: RegisteredServer;
  /** Null after the user was erased. */
  readonly url: string | null;
  /** How the server describes its tools now, by name; empty where it was not asked. */
  readonly described: ReadonlyMap<string, DescribedTool>;
}

export const describedBy = (listed: readonly DescribedTool[]): OwnedServer['described'] =>
  new Map(listed.map((tool) => [tool.tool, tool]));

export const digestsOf = (listed: readonly DescribedTool[]): McpListedTool[] =>
  listed.map(({ tool, sha256 }) => ({ tool, sha256 }));

/** A failure to list is an answer to the owner who asked for the list. */
export const forOwner = async <Answer>(listing: Promise<Answer>): Promise<Answer> => {
  try {
    return await listing;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new DomainError<AgentsErrorCode>(error.code as AgentsErrorCode, error.message);
  }
};

export const statusOf = ({
  isAllowed,
  isQuarantined,
}: RegisteredTool): 'listed' | 'allowed' | 'quarantined' => {
  if (isQuarantined) return 'quarantined';
  return isAllowed ? 'allowed' : 'listed';
};
