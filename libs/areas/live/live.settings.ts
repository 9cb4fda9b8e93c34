import { isIPv4 } from 'node:net';
import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';

export const LIVE_SETTINGS = Symbol('LiveSettings');

export interface LiveSettings {
  /** Open sessions of one account. */
  readonly sessionsMax: number;
  /** How long a token is good for, which is the longest that a session lasts. */
  readonly tokenMs: number;
  /** A session without a client and without requests ends after this time. */
  readonly silenceMs: number;
  /** UDP ports of the peers; null: any. */
  readonly ports: readonly [number, number] | null;
  /** The address of the UDP sockets; null: every address of the machine. */
  readonly bind: string | null;
  /** The address that clients get; null: the own ones. */
  readonly announced: string | null;
  /** URLs of STUN servers; empty: the own responder. */
  readonly stunUrls: readonly string[];
  /** Of the own responder; 0: any. */
  readonly stunPort: number;
  readonly turn: { readonly urls: readonly string[]; readonly secret: string } | null;
}

const MS_PER_SECOND = 1_000;
const RANGE = /^(\d{1,5})-(\d{1,5})$/;

const portsOf = (text: string): readonly [number, number] | null => {
  const [, first, last] = RANGE.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  return from >= 1_024 && from <= to && to <= 65_535 ? [from, to] : null;
};

const Ports = z
  .string()
  .refine((text) => portsOf(text) !== null, 'expected ports from 1024 on, such as 40000-40100')
  .optional();
const Ipv4 = z.string().refine(isIPv4, 'expected an IPv4 address').optional();

const urls = (schemes: readonly string[]) =>
  z
    .string()
    .refine(
      (text) => text.split(',').every((url) => schemes.some((scheme) => url.startsWith(scheme))),
      `expected URLs with ${schemes.join(' or ')}, separated by commas`,
    )
    .optional();

export const liveSettings = defineSettings({
  token: LIVE_SETTINGS,
  variables: {
    QUIPU_LIVE_SESSIONS: variable(
      wholeNumber(1, 64).default(4),
      'the stream sessions that one account may have open',
    ),
    QUIPU_LIVE_TOKEN_SECONDS: variable(
      wholeNumber(60, 86_400).default(3_600),
      'how long the token of a stream session is good for, and the session lasts at most',
    ),
    QUIPU_LIVE_SILENCE_SECONDS: variable(
      wholeNumber(1, 3_600).default(60),
      'a stream session without a client and without requests ends after this time',
    ),
    QUIPU_LIVE_UDP_PORTS: variable(
      Ports,
      'the UDP ports of stream sessions, such as `40000-40100`',
      'any',
    ),
    QUIPU_LIVE_ADDRESS: variable(
      Ipv4,
      'the IPv4 address of the UDP sockets of stream sessions',
      'the address of `HOST`; every address where that is none',
    ),
    QUIPU_LIVE_ANNOUNCED: variable(
      Ipv4,
      'the IPv4 address that clients of stream sessions get, behind a NAT that keeps ports',
      'the address of the sockets',
    ),
    QUIPU_LIVE_STUN_URLS: variable(
      urls(['stun:', 'stuns:']),
      'STUN servers for clients of stream sessions, separated by commas',
      'the own responder',
    ),
    QUIPU_LIVE_STUN_PORT: variable(
      wholeNumber(0, 65_535).default(0),
      'the UDP port of the own STUN responder; 0 is any',
    ),
    QUIPU_LIVE_TURN_URLS: variable(
      urls(['turn:', 'turns:']),
      'TURN servers for clients of stream sessions, separated by commas; needs the secret',
    ),
    QUIPU_LIVE_TURN_SECRET: variable(
      z.string().min(16).optional(),
      'the `static-auth-secret` that the TURN servers share with the gateway',
    ),
  },
  read: (values, { listeningUrl }): LiveSettings => {
    const host = new URL(listeningUrl).hostname;
    const own = isIPv4(host) && host !== '0.0.0.0' ? host : null;
    const secret = values.QUIPU_LIVE_TURN_SECRET;
    return {
      sessionsMax: values.QUIPU_LIVE_SESSIONS,
      tokenMs: values.QUIPU_LIVE_TOKEN_SECONDS * MS_PER_SECOND,
      silenceMs: values.QUIPU_LIVE_SILENCE_SECONDS * MS_PER_SECOND,
      ports: portsOf(values.QUIPU_LIVE_UDP_PORTS ?? ''),
      bind: values.QUIPU_LIVE_ADDRESS ?? own,
      announced: values.QUIPU_LIVE_ANNOUNCED ?? null,
      stunUrls: values.QUIPU_LIVE_STUN_URLS?.split(',') ?? [],
      stunPort: values.QUIPU_LIVE_STUN_PORT,
      turn:
        secret === undefined || values.QUIPU_LIVE_TURN_URLS === undefined
          ? null
          : { urls: values.QUIPU_LIVE_TURN_URLS.split(','), secret },
    };
  },
});
