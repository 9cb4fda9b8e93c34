import { describe, it } from '@jest/globals';
import {
  MCP_TOOLS_MAX,
  McpServerListed,
  McpServerRegistered,
  McpServerRemoved,
  McpToolAllowed,
  McpToolApproved,
  McpToolForbidden,
  McpToolQuarantined,
} from '#events/agents/mcp-server.events.js';
import { UserId } from '#events/vocabulary.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { registeredServersDecider, SERVERS_MAX } from './registered-servers.decider.js';

const AT = '2026-11-22T10:00:00.000Z';
const LATER = '2026-11-22T10:05:00.000Z';
const idOf = (number: number): string =>
  `01890a5d-ac96-774b-8cce-${String(number).padStart(12, '0')}`;
const shaOf = (digit: string): string => digit.repeat(64);

describe('the MCP servers of an account', () => {
  const servers = deciderSpecOf(registeredServersDecider);
  const account = { accountId: '7' };
  const listed = (tool: string, digit = 'a') => ({ tool, sha256: shaOf(digit) });
  const search = { ...account, server: 'docs', tool: 'search' };

  const serverOf = (server: string, number = 1, tools = [listed('search')]) => ({
    ...account,
    server,
    registrationId: idOf(number),
    userId: UserId.parse(7),
    sealedUrl: 'sealed-url',
    sealedCredentials: null,
    tools,
    registeredAt: AT,
  });
  const registered = McpServerRegistered.of(serverOf('docs'));
  const registering = (server: string, number: number) =>
    ({ type: 'RegisterServer', data: serverOf(server, number) }) as const;
  const allowed = McpToolAllowed.of({ ...search, sha256: shaOf('a'), allowedAt: AT });
  const quarantined = McpToolQuarantined.of({
    ...search,
    sha256: shaOf('a'),
    foundSha256: shaOf('b'),
    quarantinedAt: LATER,
  });
  const allowing = { type: 'AllowTool', data: { ...search, allowedAt: AT } } as const;
  const approving = {
    type: 'ApproveTool',
    data: { ...search, sha256: shaOf('b'), approvedAt: LATER },
  } as const;
  const approved = McpToolApproved.of(approving.data);
  const recording = (type: 'RecordList' | 'RecordChanges', ...tools: ReturnType<typeof listed>[]) =>
    ({ type, data: { ...account, server: 'docs', tools, listedAt: LATER } }) as const;

  it('are registered once each, under a name of their own', () => {
    servers.given().when(registering('docs', 1)).then(registered);
    servers.given(registered).when(registering('docs', 1)).thenNothing();
    servers.given(registered).when(registering('docs', 2)).thenThrows('mcp_server_exists');
  });

  it('are limited in number', () => {
    const all = Array.from({ length: SERVERS_MAX }, (_, index) =>
      McpServerRegistered.of(serverOf(`s${index}`, index)),
    );
    servers
      .given(...all)
      .when(registering('docs', 99))
      .thenThrows('too_many_mcp_servers');
  });

  it('are removed if they exist', () => {
    const data = { ...account, server: 'docs', removedAt: LATER };
    const removing = { type: 'RemoveServer', data } as const;
    servers.given(registered).when(removing).then(McpServerRemoved.of(data));
    servers.given().when(removing).thenThrows('mcp_server_not_found');
    servers
      .given(registered, McpServerRemoved.of(data))
      .when(registering('docs', 1))
      .then(registered);
  });

  it('have no tool that is allowed before the owner allows it', () => {
    servers.given(registered).when(allowing).then(allowed);
    servers.given(registered, allowed).when(allowing).thenNothing();
    const other = { ...allowing, data: { ...allowing.data, tool: 'other' } };
    servers.given(registered).when(other).thenThrows('mcp_tool_not_found');
    const data = { ...search, forbiddenAt: LATER };
    const forbidding = { type: 'ForbidTool', data } as const;
    servers.given(registered, allowed).when(forbidding).then(McpToolForbidden.of(data));
    servers.given(registered).when(forbidding).thenNothing();
  });

  it('put a tool whose digest changed into quarantine once, until it is approved', () => {
    const changed = recording('RecordChanges', listed('search', 'b'), listed('new'));
    servers.given(registered).when(changed).then(quarantined);
    servers.given(registered, quarantined).when(changed).thenNothing();
    servers.given(registered, quarantined).when(allowing).thenThrows('mcp_tool_quarantined');
    servers.given(registered, quarantined).when(approving).then(approved);
    servers.given(registered, quarantined, approved).when(changed).thenNothing();
    servers.given(registered).when(approving).thenNothing();
    // A server that goes back to the old description stays in quarantine.
    const back = recording('RecordChanges', listed('search', 'a'));
    servers.given(registered, quarantined).when(back).thenNothing();
  });

  it('keep the decisions of the owner when they list other tools', () => {
    const both = recording('RecordList', listed('search', 'b'), listed('fetch', 'c'));
    const found = { tools: [listed('search'), listed('fetch', 'c')], listedAt: LATER };
    const list = McpServerListed.of({ ...account, server: 'docs', ...found });
    servers.given(registered, allowed).when(both).then(quarantined, list);
    servers.given(registered, quarantined, list).when(both).thenNothing();
    // A tool that is gone is forgotten, unless it is allowed: it may come back as another one.
    const none = McpServerListed.of({ ...account, server: 'docs', tools: [], listedAt: LATER });
    servers.given(registered).when(recording('RecordList')).then(none);
    servers.given(registered, allowed).when(recording('RecordList')).thenNothing();
  });

  it('have a limited number of tools', () => {
    const many = Array.from({ length: MCP_TOOLS_MAX }, (_, index) => listed(`t${index}`));
    servers
      .given(registered, allowed)
      .when(recording('RecordList', ...many))
      .thenThrows('mcp_list_too_large');
  });
});
