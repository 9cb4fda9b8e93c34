import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { defineSettings, variable, wholeNumber } from '#platform/runtime/areas/settings.js';
import { isEndpointId, nodeOf } from './bundles.engine.js';
import { type TlsIdentity } from './convergence.engine.js';

export interface DtnSettings {
  /** The endpoint of this node, without a service. */
  readonly node: string;
  /** Of one account. */
  readonly bundlesMax: number;
  readonly bytesMax: number;
  /** Where links are opened to, by node. Only these nodes may open a session. */
  readonly peers: ReadonlyMap<string, NodeAddress>;
  /** Where links are taken; null: nowhere. */
  readonly listen: NodeAddress | null;
  /** Null: sessions in clear. */
  readonly tls: TlsIdentity | null;
  /** Of a node on its own. */
  readonly planFile: string | null;
}

export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

export const DTN_SETTINGS = Symbol('DtnSettings');

const isNode = (eid: string): boolean => isEndpointId(eid) && nodeOf(eid) === eid;
const BYTES_PER_MB = 1_000_000;
const PEERS_MAX = 64;
const PEER = /^(?<node>dtn:\/\/[^=,\s]+)=(?<host>[\w.-]+|\[[0-9a-f:.]+\]):(?<port>\d{1,5})$/;

const peersOf = (text: string): ReadonlyMap<string, NodeAddress> | null => {
  const peers = new Map<string, NodeAddress>();
  for (const part of text.split(',')) {
    const { node = '', host = '', port = '' } = PEER.exec(part.trim())?.groups ?? {};
    if (!isNode(node) || peers.has(node)) return null;
    peers.set(node, { host: host.replace(/^\[|\]$/g, ''), port: Number(port) });
  }
  return peers.size <= PEERS_MAX ? peers : null;
};

const Peers = z
  .string()
  .transform((text, context) => {
    const peers = peersOf(text);
    if (peers) return peers;
    const expected = `expected dtn://node/=host:port, ${PEERS_MAX} at most, with commas between`;
    context.addIssue({ code: 'custom', message: expected });
    return z.NEVER;
  })
  .optional();

/** The files of a folder, as PEM. */
const Tls = z
  .string()
  .transform((folder, context): TlsIdentity => {
    try {
      const [key, cert, ca] = ['key.pem', 'cert.pem', 'ca.pem'].map((name) =>
        readFileSync(join(folder, name), 'utf8'),
      );
      return { key: key ?? '', cert: cert ?? '', ca: ca ?? '' };
    } catch (error) {
      const message = `expected a folder with key.pem, cert.pem and ca.pem: ${String(error)}`;
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    }
  })
  .optional();

export const dtnSettings = defineSettings({
  token: DTN_SETTINGS,
  variables: {
    QUIPU_DTN_NODE: variable(
      z.string().refine(isNode, 'expected a node, such as dtn://quipu/').default('dtn://quipu/'),
      'the endpoint of this node in the delay-tolerant network',
    ),
    QUIPU_DTN_BUNDLES: variable(
      wholeNumber(1, 1_000_000).default(1_000),
      'the bundles that one account may have in custody',
    ),
    QUIPU_DTN_MB: variable(
      wholeNumber(1, 1_000_000).default(100),
      'the megabytes that one account may have in custody',
    ),
    QUIPU_DTN_PEERS: variable(
      Peers,
      'the nodes with which this one has links (TCPCLv4), such as ' +
        '`dtn://sat-1/=127.0.0.1:4557`, with commas between them; no other node may connect',
    ),
    QUIPU_DTN_PORT: variable(
      wholeNumber(0, 65_535).optional(),
      'the port at which links of peers are taken; 4556 is the one of TCPCL',
    ),
    QUIPU_DTN_HOST: variable(
      z.string().min(1).default('127.0.0.1'),
      'the address at which links of peers are taken',
    ),
    QUIPU_DTN_PLAN: variable(
      z.string().min(1).optional(),
      'the contact plan of a `dtn-node`: a file of JSON with a list of contacts, each as ' +
        '`POST /api/v1/dtn/contacts` takes it',
    ),
    QUIPU_DTN_TLS: variable(
      Tls,
      'a folder with `key.pem`, `cert.pem` and `ca.pem`: links are then under TLS 1.3, and a ' +
        'peer needs a certificate of that authority',
    ),
  },
  read: (values): DtnSettings => ({
    node: values.QUIPU_DTN_NODE,
    bundlesMax: values.QUIPU_DTN_BUNDLES,
    bytesMax: values.QUIPU_DTN_MB * BYTES_PER_MB,
    peers: values.QUIPU_DTN_PEERS ?? new Map(),
    listen:
      values.QUIPU_DTN_PORT === undefined
        ? null
        : { host: values.QUIPU_DTN_HOST, port: values.QUIPU_DTN_PORT },
    tls: values.QUIPU_DTN_TLS ?? null,
    planFile: values.QUIPU_DTN_PLAN ?? null,
  }),
});
