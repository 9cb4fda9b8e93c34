import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo } from 'node:net';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { CALL_ID_META } from './mcp-tool.js';

/** A call that the server has received. */
export interface ReceivedCall {
  readonly text: string;
  readonly callId: unknown;
  readonly authorization: string | undefined;
}

export interface McpServerFixture {
  readonly url: string;
  readonly calls: ReceivedCall[];
  /** Changes what the server says of its first tool. */
  describe(description: string): void;
  close(): Promise<void>;
}

const textIn = (text: string) => ({ content: [{ type: 'text' as const, text }] });

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString() || 'null');
};

/** Answers requests in place of the server, such as requests without a token. */
export type Gate = (request: Request) => Promise<Response | undefined>;

/** A real MCP server over HTTP, made with the official package. */
export const startMcpServer = async (gate?: Gate): Promise<McpServerFixture> => {
  const calls: ReceivedCall[] = [];
  let description = 'Shouts.';
  const serverFor = (authorization: string | undefined) => () => {
    const server = new McpServer({ name: 'fixture', version: '1' });
    const inputSchema = z.object({ text: z.string() });
    server.registerTool(
      'Shout-Loud',
      { description, inputSchema, annotations: { idempotentHint: true } },
      ({ text }, { mcpReq }) => {
        calls.push({ text, callId: mcpReq._meta?.[CALL_ID_META], authorization });
        return textIn(text.toUpperCase());
      },
    );
    server.registerTool('fail', { inputSchema }, ({ text }) => ({
      ...textIn(`cannot ${text}`),
      isError: true,
    }));
    server.registerTool('hidden', { inputSchema }, ({ text }) => textIn(text));
    return server;
  };
  const http = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const headers = new Headers(request.headers as Record<string, string>);
      headers.delete('content-length');
      const sent = new Request(`http://${request.headers.host ?? 'fixture'}${request.url ?? ''}`, {
        method: request.method ?? 'POST',
        headers,
        ...(request.method === 'POST' && { body: JSON.stringify(body) }),
      });
      const handler = createMcpHandler(serverFor(request.headers.authorization));
      const gated = await gate?.(sent.clone());
      const answer = gated ?? (await handler.fetch(sent, { parsedBody: body }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(await answer.text());
    })();
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    describe: (changed) => {
      description = changed;
    },
    close: async () => {
      http.closeAllConnections();
      http.close();
      await once(http, 'close');
    },
  };
};
