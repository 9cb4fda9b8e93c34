import { pino } from 'pino';
import { describe, expect, it } from '@jest/globals';
import { type CryptoNetwork } from '#events/payments/crypto.vocabulary.js';
import { type Projections } from '#platform/runtime/projections/projections.js';
import { terms } from '../invoices/crypto-invoice.fixture.js';
import { type InvoiceObserver } from '../invoices/invoice-observer.js';
import { ChainPolling } from './chain-polling.js';

const INVOICES = 1_200;

/** Open invoices, every third one on Solana, in the order of their keys. */
const open = Array.from({ length: INVOICES }, (_, index) => ({
  key: `7/${String(index).padStart(5, '0')}`,
  document: {
    terms: { ...terms, network: index % 3 === 0 ? ('solana' as const) : ('bitcoin' as const) },
    isAwaited: true,
  },
  position: 9n,
}));

const projections = {
  list: (_: unknown, { from = '', limit = 0 }: { from?: string; limit?: number }) =>
    Promise.resolve({
      documents: open.filter(({ key }) => key >= from).slice(0, limit),
      position: 9n,
    }),
} as unknown as Pick<Projections, 'list'>;

describe('the polling of chains', () => {
  const looks: [CryptoNetwork, number][] = [];
  const down = new Set<CryptoNetwork>();
  const observer = {
    observe: (network: CryptoNetwork, invoices: readonly unknown[]) => {
      looks.push([network, invoices.length]);
      return down.has(network) ? Promise.reject(new Error('the node is down')) : Promise.resolve();
    },
  } as unknown as InvoiceObserver;
  const logger = pino({ level: 'silent' });
  const polling = new ChainPolling(observer, projections, { pollMs: 60_000 }, logger);
  const look = () => polling.lookOnce(new AbortController().signal);

  it('looks once at each chain, for every open invoice', async () => {
    await look();
    expect(looks).toEqual([
      ['solana', 400],
      ['bitcoin', 800],
    ]);
    expect(polling.status()).toMatchObject({ name: 'crypto-chains', failure: null, position: 9n });
  });

  it('shows a chain that cannot be read, and polls the others', async () => {
    down.add('solana');
    looks.length = 0;
    await look();
    expect(looks.map(([network]) => network)).toEqual(['solana', 'bitcoin']);
    expect(polling.status().failure).toBe('solana: the node is down');
  });

  it('shows that it can be read again', async () => {
    down.clear();
    await look();
    expect(polling.status().failure).toBeNull();
  });

  it('ends when the leadership does', async () => {
    await polling.start({ execute: () => Promise.reject(new Error('it sends nothing')) });
    await polling.stop();
    expect(polling.status().phase).toBe('closed');
  });
});
