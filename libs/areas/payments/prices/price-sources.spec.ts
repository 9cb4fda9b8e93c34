import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fetchJson } from '../fetch-json.js';
import { filePrices, httpPrices } from './price-document.js';
import { readPriceSources } from './price-source-address.js';
import { publicSource } from './public-price-sources.js';

const signal = () => AbortSignal.timeout(5_000);

describe('a source of prices', () => {
  let server: Server;
  let base: string;
  let asked: string[];
  let answer: { status: number; body: string };

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const answers = (body: object, status = 200) => (answer = { status, body: JSON.stringify(body) });

  it('is Kraken, which names the pair in its own way', async () => {
    const pair = { a: ['65001', '1', '1'], c: ['65000.10000', '0.001'], v: ['1', '2'] };
    answers({ error: [], result: { XXBTZUSD: pair } });
    expect(await publicSource('kraken', fetchJson(), base).quote('BTC', signal())).toEqual({
      priceMicroUsd: 65_000_100_000n,
      quotedAtMs: null,
    });
    expect(asked).toEqual(['/0/public/Ticker?pair=XBTUSD']);
  });

  it('is Coinbase', async () => {
    answers({ data: { amount: '160.515', base: 'SOL', currency: 'USD' } });
    expect(await publicSource('coinbase', fetchJson(), base).quote('SOL', signal())).toEqual({
      priceMicroUsd: 160_515_000n,
      quotedAtMs: null,
    });
    expect(asked).toEqual(['/v2/prices/SOL-USD/spot']);
  });

  it('is CoinGecko, which says how old its price is', async () => {
    answers({ dogecoin: { usd: 0.0812345, last_updated_at: 1_795_000_000 } });
    expect(await publicSource('coingecko', fetchJson(), base).quote('DOGE', signal())).toEqual({
      priceMicroUsd: 81_234n,
      quotedAtMs: 1_795_000_000_000,
    });
  });

  it.each([
    ['kraken', { error: ['EQuery:Unknown asset pair'] }],
    ['kraken', { error: [], result: {} }],
    ['coinbase', { errors: [{ id: 'not_found' }] }],
    ['coingecko', {}],
  ] as const)('has no price where %s answers %j', async (name, body) => {
    answers(body);
    const quote = publicSource(name, fetchJson(), base).quote('BTC', signal());
    await expect(quote).rejects.toThrow();
  });

  it('has no price where it fails', async () => {
    answers({ data: { amount: '1' } }, 503);
    const quote = publicSource('coinbase', fetchJson(), base).quote('USDC', signal());
    await expect(quote).rejects.toThrow('answered 503');
  });

  const document = { as_of: '2026-11-22T10:00:00Z', prices: { BTC: '65000.5' } };

  it('is a document by HTTP', async () => {
    answers(document);
    const source = httpPrices(`${base}/prices.json`, fetchJson());
    expect(await source.quote('BTC', signal())).toEqual({
      priceMicroUsd: 65_000_500_000n,
      quotedAtMs: Date.parse('2026-11-22T10:00:00Z'),
    });
    await expect(source.quote('ETH', signal())).rejects.toThrow('no price of ETH');
  });

  it('is a file, which is read each time', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'quipu-prices-'));
    const file = path.join(folder, 'prices.json');
    const source = filePrices(file);
    await expect(source.quote('BTC', signal())).rejects.toThrow('ENOENT');
    await writeFile(file, JSON.stringify(document));
    expect((await source.quote('BTC', signal())).priceMicroUsd).toBe(65_000_500_000n);
    await rm(folder, { recursive: true });
  });
});

describe('the sources in a setting', () => {
  it('are named, files or documents by HTTP', () => {
    expect(readPriceSources('kraken, file:/etc/prices.json,https://prices.example/all')).toEqual([
      { kind: 'public', name: 'kraken' },
      { kind: 'file', file: '/etc/prices.json' },
      { kind: 'http', url: 'https://prices.example/all' },
    ]);
  });

  it.each(['', 'bitstamp', 'file:', 'ftp://prices.example', 'kraken,,coinbase', '65000'])(
    'are not %j',
    (text) => {
      expect(() => readPriceSources(text)).toThrow(RangeError);
    },
  );
});
