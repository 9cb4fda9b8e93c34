import {
  AllowToolCommand,
  ApproveToolCommand,
  RefreshServerCommand,
  RemoveServerCommand,
} from '#areas/agents/registered-servers/change-server.handlers.js';
import { type OwnedServer, statusOf } from '#areas/agents/registered-servers/owned-servers.js';
import { RegisterServerCommand } from '#areas/agents/registered-servers/register-server.handler.js';
import { RegisteredServersQuery } from '#areas/agents/registered-servers/servers.query.js';
import { usage } from '../command-failure.js';
import { confirm } from '../confirmation.js';
import {
  type CommonOptions,
  type Invocation,
  type IrreversibleOptions,
  type Outcome,
} from '../invocation.js';
import { type Quipu, withQuipu } from '../quipu.context.js';
import { listText } from '../table.js';
import { accountOf, userIdOf } from '../user-option.js';
import { AGENT_AREAS } from './agent-fields.js';

export interface McpOptions extends CommonOptions {
  readonly user: string;
}

export interface ServerOptions extends McpOptions {
  readonly server: string;
}

export interface ToolOptions extends ServerOptions {
  readonly tool: string;
}

export interface RegisterOptions extends ServerOptions {
  readonly url: string;
  readonly tokenEnv?: string;
}

export interface ApproveOptions extends ToolOptions {
  readonly sha256: string;
}

type OfAccount = Quipu & { readonly accountId: string };

const onAccount = <Result>(
  { user }: McpOptions,
  invocation: Invocation,
  work: (quipu: OfAccount) => Promise<Result>,
): Promise<Result> =>
  withQuipu(
    invocation,
    { areas: ['identity', ...AGENT_AREAS], installation: 'exists', projections: [] },
    async (quipu) => work({ ...quipu, accountId: await accountOf(quipu, user) }),
  );

export const listServers = (options: McpOptions, invocation: Invocation): Promise<Outcome> =>
  onAccount(options, invocation, async ({ queries, accountId }) => {
    const { servers } = await queries.execute(new RegisteredServersQuery(accountId));
    return outcomeOf(servers);
  });

export const registerServer = (
  options: RegisterOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { server: name, url, tokenEnv } = options;
  const token = tokenEnv === undefined ? undefined : invocation.environment[tokenEnv];
  if (tokenEnv !== undefined && !token) throw usage(`--token-env: ${tokenEnv} is not set`);
  const credentials = token === undefined ? null : ({ kind: 'bearer', token } as const);
  return onAccount(options, invocation, async (quipu) => {
    const { accountId, commands, context } = quipu;
    const userId = await userIdOf(quipu, options.user);
    const order = { accountId, userId, name, url, credentials };
    return outcomeOf([await commands.execute(new RegisterServerCommand(order, context()))]);
  });
};

export const refreshServer = (options: ServerOptions, invocation: Invocation): Promise<Outcome> =>
  onAccount(options, invocation, async ({ accountId, commands, context }) => {
    const { server } = options;
    const command = new RefreshServerCommand({ accountId, server }, context());
    return outcomeOf([await commands.execute(command)]);
  });

export interface RemoveServerOptions extends ServerOptions, IrreversibleOptions {}

export const removeServer = async (
  options: RemoveServerOptions,
  invocation: Invocation,
): Promise<Outcome> => {
  const { server } = options;
  const consequence = `This deletes the address, credentials and allowed tools of ${server}.`;
  const otherwise = 'nothing was removed';
  await confirm({ word: server, consequence, otherwise }, options, invocation);
  return onAccount(options, invocation, async ({ accountId, commands, context }) => {
    await commands.execute(new RemoveServerCommand({ accountId, server }, context()));
    return { json: { server }, text: `The server ${server} was removed.` };
  });
};

export const allowTool = (options: ToolOptions, invocation: Invocation): Promise<Outcome> =>
  decide(options, invocation, true);

export const forbidTool = (options: ToolOptions, invocation: Invocation): Promise<Outcome> =>
  decide(options, invocation, false);

const decide = (
  options: ToolOptions,
  invocation: Invocation,
  isAllowed: boolean,
): Promise<Outcome> =>
  onAccount(options, invocation, async ({ accountId, commands, context }) => {
    const { server, tool } = options;
    await commands.execute(new AllowToolCommand({ accountId, server, tool }, isAllowed, context()));
    const status = isAllowed ? 'allowed' : 'forbidden';
    return { json: { server, tool, status }, text: `${server}__${tool} is ${status}.` };
  });

export const approveTool = (options: ApproveOptions, invocation: Invocation): Promise<Outcome> =>
  onAccount(options, invocation, async ({ accountId, commands, context }) => {
    const { server, tool, sha256 } = options;
    const of = { accountId, server, tool };
    await commands.execute(new ApproveToolCommand(of, sha256, context()));
    return { json: { server, tool, sha256 }, text: `${server}__${tool} is approved.` };
  });

const outcomeOf = (servers: readonly OwnedServer[]): Outcome => {
  const rows = servers.flatMap(({ server, described }) =>
    [...server.tools].map(([tool, known]) => {
      const { server: name } = server.registered;
      const now = described.get(tool);
      return [name, tool, statusOf(known), now?.sha256 ?? known.sha256, now?.description ?? ''];
    }),
  );
  const header = ['SERVER', 'TOOL', 'STATUS', 'SHA256', 'DESCRIPTION'];
  return {
    json: {
      servers: servers.map(({ server, url, described }) => ({
        name: server.registered.server,
        url,
        registered_at: server.registered.registeredAt,
        tools: [...server.tools].map(([tool, known]) => ({
          name: tool,
          status: statusOf(known),
          known_sha256: known.sha256,
          schema_sha256: described.get(tool)?.sha256 ?? null,
          description: described.get(tool)?.description ?? null,
        })),
      })),
    },
    text: listText({ noun: 'tools of MCP servers', header, rows }),
  };
};
