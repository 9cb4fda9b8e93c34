import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { scriptedCatalog } from '../end-to-end/quipu.harness.js';
import { envelopeFaults } from './answer-laws.js';
import { type Attacked, startAttacked } from './attacked.harness.js';
import {
  type Credentials,
  header,
  type Header,
  NOT_CREDENTIALS,
  presented,
} from './hostile-request.arbitrary.js';
import { type Operation, operationsOf } from './openapi.operations.js';
import { type Answer, sendRaw } from './raw-request.js';

/** No request of this file reaches a rig. */
const NO_UPSTREAM = 'http://127.0.0.1:9/v1';
const ID = '0198c0de-0000-7000-8000-000000000003';

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens made of a valid one: unsigned, signed with another key, with other claims, cut. */
const forgeriesOf = (token: string): readonly string[] => {
  const at = token.indexOf('eyJ');
  const prefix = token.slice(0, at);
  const [head = '', claims = '', signature = ''] = token.slice(at).split('.');
  const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
  const signedWith = (key: string, body: string): string => {
    const mac = createHmac('sha256', key).update(`${head}.${body}`).digest('base64url');
    return `${prefix}${head}.${body}.${mac}`;
  };
  const none = base64({ alg: 'none', typ: 'JWT' });
  return [
    `${prefix}${none}.${claims}.`,
    `${prefix}${none}.${claims}.${signature}`,
    `${prefix}${base64({ alg: 'HS512', typ: 'JWT' })}.${claims}.${signature}`,
    signedWith('', claims),
    signedWith('secret', claims),
    signedWith('secret', base64({ ...read, exp: 9_999_999_999 })),
    `${prefix}${head}.${base64({ ...read, sub: '2' })}.${signature}`,
    `${prefix}${head}.${base64({ ...read, exp: 9_999_999_999 })}.${signature}`,
    `${prefix}${head}.${claims}`,
    token.slice(at),
    `${token}.${signature}`,
  ];
};

/** Keys that differ from a valid one as little as possible. */
const neighboursOf = (key: string): readonly string[] => [
  key.slice(0, -1),
  `${key}A`,
  key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A'),
  key.toUpperCase(),
  key.replace(/^[a-z]+[-_][a-z]+[-_]/, ''),
  key.replace(/^[a-z]+[-_][a-z]+[-_]/, (prefix) =>
    prefix === 'svc_api_' ? 'sk-svc-' : 'svc_api_',
  ),
];

describe('the credentials of every operation of the OpenAPI document', () => {
  let attacked: Attacked;
  let operations: readonly Operation[];
  let guarded: readonly Operation[];

  beforeAll(async () => {
    attacked = await startAttacked(scriptedCatalog(NO_UPSTREAM));
    operations = operationsOf(await attacked.document(), {});
    guarded = operations.filter(({ schemes }) => schemes.size > 0);
  });

  afterAll(() => attacked.close());

  let requests = 0;
  /** Failed attempts of one address are limited, so each request has its own. */
  const address = (): string => {
    requests += 1;
    return `10.0.${requests >> 8}.${requests & 255}`;
  };

  /** A body that no route takes: what passes the guards fails after them. */
  const ask = ({ method, path }: Operation, shown: readonly Header[]): Promise<Answer> =>
    sendRaw(attacked.url, {
      method,
      target: path.replaceAll(/\{[^}]+\}/g, ID),
      headers: [
        ...shown,
        header('content-type', 'application/json'),
        header('x-forwarded-for', address()),
      ],
      body: method === 'GET' ? null : Buffer.from('[]'),
    });

  /** The faults of the answer to credentials that must not open the operation. */
  const faultsOfRejection = async (operation: Operation, shown: readonly Header[]) => {
    const { status, headers, body } = await ask(operation, shown);
    return [
      ...(status === 401 ? [] : [`the status is ${status}`]),
      ...(headers['www-authenticate'] === 'Bearer' ? [] : ['WWW-Authenticate is not Bearer']),
      ...envelopeFaults(body, operation.envelopes[0] ?? 'application'),
    ].map((fault) => `${operation.id} ${JSON.stringify(shown).slice(0, 100)}: ${fault}: ${body}`);
  };

  const faultsOfAll = async (
    cases: readonly (readonly [Operation, readonly Header[]])[],
  ): Promise<readonly string[]> => {
    const faults: string[] = [];
    for (const [operation, shown] of cases) {
      faults.push(...(await faultsOfRejection(operation, shown)));
    }
    return faults;
  };

  it('are asked for everywhere, but to log in, pay, read prices, audit and watch', () => {
    const open = operations.filter((one) => !guarded.includes(one)).map(({ id }) => id);
    // The key of a file sync is a field of its form, and events of Stripe are signed.
    expect(open.toSorted()).toEqual([
      'attestationKey_key',
      'audit_checkpoint',
      'audit_consistency',
      'audit_key',
      'audit_proof',
      'audit_tile',
      'auth_login',
      'auth_resetPassword',
      'auth_verifyTwoFactor',
      'fileSync_sync',
      'health_live',
      'health_ready',
      'live_signal',
      'metrics_scrape',
      'openId_callback',
      'openId_start',
      'paymentNotices_take',
      'paymentPage_page',
      'paymentPage_qrCode',
      'paymentPage_script',
      'paymentPage_status',
      'paymentPage_style',
      'rates_find',
      'stripeEvents_take',
    ]);
  });

  it('are rejected with 401 if they are none', async () => {
    const cases = guarded.flatMap((one) => NOT_CREDENTIALS.map((shown) => [one, shown] as const));
    expect(cases.length).toBeGreaterThan(100);
    expect(await faultsOfAll(cases)).toEqual([]);
  });

  it('are rejected with 401 if they are forged', async () => {
    const { 'app-token': token = '', ...keys } = await attacked.logIn();
    const forged = [...forgeriesOf(token), ...Object.values(keys).flatMap(neighboursOf)];
    const shown = forged.flatMap((value) => presented(value));
    const cases = guarded.flatMap((one) => shown.map((headers) => [one, headers] as const));
    expect(await faultsOfAll(cases)).toEqual([]);
  });

  it('open what the document says, and nothing else', async () => {
    const wrong: string[] = [];
    let credentials: Credentials | undefined;
    const askAll = async (operation: Operation, form: 0 | 1): Promise<void> => {
      // One operation ends its session.
      credentials = await attacked.logIn(credentials);
      for (const [name, value] of Object.entries(credentials)) {
        const { status } = await ask(operation, presented(value)[form]);
        const isRejected = status === 401 || status === 403;
        const isOpen = operation.schemes.has(name);
        if (isOpen === isRejected) wrong.push(`${operation.id} with ${name}: ${status}`);
      }
    };
    for (const operation of guarded) {
      await askAll(operation, 0);
      await askAll(operation, 1);
    }
    expect(wrong).toEqual([]);
  });

  it('leave the process ready and the ledger balanced', async () => {
    expect(await attacked.wounds()).toEqual([]);
  });
});
