import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type FetchLike } from '@modelcontextprotocol/client';
import { Agent, fetch, type RequestInit as UndiciInit } from 'undici';
import { DomainError } from '#platform/kernel/domain-error.js';
import { publicAddressRules } from '#platform/network/public-address-rules.js';
import { type AgentsErrorCode } from '../agents.errors.js';
import { AGENT_SETTINGS, type AgentSettings, MCP_PRIVATE_SETTING } from '../agents.settings.js';

/** Of all answers in one session with a server: its list of tools and one result. */
export const SESSION_BYTES_MAX = 4 * 1_024 * 1_024;
/** In one session: sign-in, pages of the list, and one call. */
export const SESSION_REQUESTS_MAX = 32;

/** A server does what is not allowed. The message has no secret. */
export class ServerFaultError extends Error {
  override readonly name = 'ServerFaultError';
}

const { demandPublicUrl, publicLookup } = publicAddressRules({
  noun: 'an MCP server',
  setting: MCP_PRIVATE_SETTING,
  rejection: (detail) => new DomainError<AgentsErrorCode>('mcp_url_not_allowed', detail),
});

/** Statuses whose answer has no body. */
const BODILESS: readonly number[] = [204, 205, 304];

/** The requests to servers of accounts: to public addresses, without redirects, and bounded. */
@Injectable()
export class BoundedFetch implements OnApplicationShutdown {
  readonly #agent: Agent;

  constructor(@Inject(AGENT_SETTINGS) private readonly settings: AgentSettings) {
    const connect = settings.allowsPrivateMcp ? {} : { lookup: publicLookup };
    this.#agent = new Agent({ connect, keepAliveTimeout: 1_000 });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#agent.destroy();
  }

  /** @throws DomainError `mcp_url_not_allowed` */
  demandUrl(url: string): URL {
    return demandPublicUrl(url, this.settings.allowsPrivateMcp);
  }

  /**
   * The fetch of one session.
   * @param onFault is called when the server exceeds the bounds, and ends the session
   */
  ofSession(signal: AbortSignal, onFault: (fault: ServerFaultError) => void): FetchLike {
    let requests = 0;
    let bytes = 0;
    const faultOf = (message: string): ServerFaultError => {
      const fault = new ServerFaultError(message);
      onFault(fault);
      return fault;
    };
    const counted = () =>
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          bytes += piece.length;
          if (bytes <= SESSION_BYTES_MAX) controller.enqueue(piece);
          else controller.error(faultOf(`its answers have more than ${SESSION_BYTES_MAX} bytes`));
        },
      });
    return async (url, init) => {
      requests += 1;
      if (requests > SESSION_REQUESTS_MAX) throw faultOf('it takes too many requests');
      // The types of the runtime and of the package differ in what is not used here.
      const given = init as unknown as UndiciInit | undefined;
      const answer = await fetch(this.demandUrl(String(url)), {
        ...given,
        redirect: 'manual',
        dispatcher: this.#agent,
        signal: init?.signal ? AbortSignal.any([signal, init.signal]) : signal,
      });
      const { status, headers } = answer;
      if (status >= 300 && status < 400) {
        await answer.body?.cancel();
        throw faultOf('it answers with a redirect, which is not followed');
      }
      const body = answer.body as ReadableStream<Uint8Array> | null;
      const counting =
        body === null || BODILESS.includes(status) ? null : body.pipeThrough(counted());
      return new Response(counting, { status, headers: [...headers] });
    };
  }
}
