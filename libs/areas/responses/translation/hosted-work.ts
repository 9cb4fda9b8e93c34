import { type FileSearch } from './file-search.js';
import { type McpCallItem, type McpListItem } from './mcp-items.js';
import { type RemoteTool } from './mcp-tool.js';

/** The work of this gateway for a response, which its chats see. */
export interface HostedWork {
  /** Left out: no file was searched. */
  readonly search?: FileSearch | null;
  /** Left out: no tool of an MCP server may be called. */
  readonly mcp?: McpWork | null;
}

export interface McpWork {
  readonly tools: readonly RemoteTool[];
  /** The items made before the first chat: lists, and calls that the caller approved. */
  readonly items: readonly (McpListItem | McpCallItem)[];
}
