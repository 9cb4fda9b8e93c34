import { z } from 'zod';
import { defineEvent, type EventOf } from '../definition.js';
import { AccountId, Instant, Sha256Hex, UserId } from '../vocabulary.js';

/** The MCP servers that an account registered: one stream `mcpservers-<account>`. */

/** The name of a server in its account. It has no underscore: a tool is `<server>__<tool>`. */
export const McpServerName = z.string().regex(/^[a-z][a-z0-9]{0,23}$/);

/** A tool of a server, in the characters that models can call. */
export const McpToolName = z.string().regex(/^[a-z0-9_]{1,61}$/);

export const MCP_TOOLS_MAX = 128;

/** A tool and the digest of its name, description and schemas in canonical JSON. */
export const McpListedTool = z.strictObject({ tool: McpToolName, sha256: Sha256Hex });
export type McpListedTool = z.infer<typeof McpListedTool>;

/** A text that the key of its user opens. */
const Sealed = z.string().min(1).max(16_384);

const ofServer = { accountId: AccountId, server: McpServerName };
const ofTool = { ...ofServer, tool: McpToolName };
const tools = z.array(McpListedTool).max(MCP_TOOLS_MAX);

export const McpServerRegistered = defineEvent('McpServerRegistered', {
  version: 1,
  schema: z.strictObject({
    ...ofServer,
    /** Of the request: a repeated request registers nothing. */
    registrationId: z.uuid(),
    /** Whose key seals the address and the credentials. */
    userId: UserId,
    sealedUrl: Sealed,
    /** JSON; null for a server that needs none. */
    sealedCredentials: Sealed.nullable(),
    /** None is allowed. */
    tools,
    registeredAt: Instant,
  }),
});
export type McpServerRegistered = EventOf<typeof McpServerRegistered>;

/** The server has other tools than before. A tool that is known keeps its digest. */
export const McpServerListed = defineEvent('McpServerListed', {
  version: 1,
  schema: z.strictObject({ ...ofServer, tools, listedAt: Instant }),
});
export type McpServerListed = EventOf<typeof McpServerListed>;

export const McpServerRemoved = defineEvent('McpServerRemoved', {
  version: 1,
  schema: z.strictObject({ ...ofServer, removedAt: Instant }),
});
export type McpServerRemoved = EventOf<typeof McpServerRemoved>;

export const McpToolAllowed = defineEvent('McpToolAllowed', {
  version: 1,
  schema: z.strictObject({ ...ofTool, sha256: Sha256Hex, allowedAt: Instant }),
});
export type McpToolAllowed = EventOf<typeof McpToolAllowed>;

export const McpToolForbidden = defineEvent('McpToolForbidden', {
  version: 1,
  schema: z.strictObject({ ...ofTool, forbiddenAt: Instant }),
});
export type McpToolForbidden = EventOf<typeof McpToolForbidden>;

/** The server describes the tool otherwise than before: it is not called until it is approved. */
export const McpToolQuarantined = defineEvent('McpToolQuarantined', {
  version: 1,
  schema: z.strictObject({
    ...ofTool,
    /** As the account knew it. */
    sha256: Sha256Hex,
    foundSha256: Sha256Hex,
    quarantinedAt: Instant,
  }),
});
export type McpToolQuarantined = EventOf<typeof McpToolQuarantined>;

/** The quarantine has ended: the account knows the tool by this digest. */
export const McpToolApproved = defineEvent('McpToolApproved', {
  version: 1,
  schema: z.strictObject({ ...ofTool, sha256: Sha256Hex, approvedAt: Instant }),
});
export type McpToolApproved = EventOf<typeof McpToolApproved>;

export type McpServerEvent =
  | McpServerRegistered
  | McpServerListed
  | McpServerRemoved
  | McpToolAllowed
  | McpToolForbidden
  | McpToolQuarantined
  | McpToolApproved;

export const mcpServerEvents = [
  McpServerRegistered,
  McpServerListed,
  McpServerRemoved,
  McpToolAllowed,
  McpToolForbidden,
  McpToolQuarantined,
  McpToolApproved,
] as const;
