import { describe, expect, it } from '@jest/globals';
import { ED25519_COSIGNATURE, encodeVerifierKey, NoteSigner } from '#platform/audit/signed-note.js';
import { auditSettings } from './audit.settings.js';
import { logSignerOf } from './log-signer.js';

const FACTS = { home: '/nowhere', isLogRemote: false, listeningUrl: 'http://127.0.0.1:0' };

const read = (environment: Readonly<Record<string, string>>) => {
  const { variables } = auditSettings;
  const { QUIPU_AUDIT_ORIGIN, QUIPU_AUDIT_CHECKPOINT_MS, QUIPU_AUDIT_WITNESSES } = variables;
  const values = {
    QUIPU_AUDIT_ORIGIN: QUIPU_AUDIT_ORIGIN.schema.parse(environment['QUIPU_AUDIT_ORIGIN']),
    QUIPU_AUDIT_CHECKPOINT_MS: QUIPU_AUDIT_CHECKPOINT_MS.schema.parse(
      environment['QUIPU_AUDIT_CHECKPOINT_MS'],
    ),
    QUIPU_AUDIT_WITNESSES: QUIPU_AUDIT_WITNESSES.schema.parse(environment['QUIPU_AUDIT_WITNESSES']),
  };
  return auditSettings.read(values, FACTS);
};

const witness = encodeVerifierKey(
  new NoteSigner('witness.test/w1', Buffer.alloc(32, 1), ED25519_COSIGNATURE).key,
);
const signing = encodeVerifierKey(new NoteSigner('witness.test/w1', Buffer.alloc(32, 1)).key);

describe('the settings of the audit', () => {
  it('have an origin of the key, a checkpoint each second and no witness by default', () => {
    expect(read({})).toEqual({ origin: null, checkpointEveryMs: 1_000, witnesses: [] });
    const { name } = logSignerOf({ key: () => Buffer.alloc(32, 9) }, null).key;
    expect(name).toMatch(/^quipu\.local\/[0-9a-f]{16}$/);
    expect(logSignerOf({ key: () => Buffer.alloc(32, 8) }, null).key.name).not.toBe(name);
    expect(logSignerOf({ key: () => Buffer.alloc(32, 9) }, 'a.test/b').key.name).toBe('a.test/b');
  });

  it('name witnesses by key and URL', () => {
    const QUIPU_AUDIT_WITNESSES = `${witness} https://w.test/log/, ${witness} http://127.0.0.1:9`;
    expect(read({ QUIPU_AUDIT_WITNESSES })).toMatchObject({
      witnesses: [
        { url: 'https://w.test/log', key: { name: 'witness.test/w1' } },
        { url: 'http://127.0.0.1:9' },
      ],
    });
  });

  it.each([
    ['QUIPU_AUDIT_ORIGIN', 'two words', 'without spaces'],
    ['QUIPU_AUDIT_ORIGIN', 'a+b', 'without spaces and plus signs'],
    ['QUIPU_AUDIT_CHECKPOINT_MS', '10', '50 to 86400000'],
    ['QUIPU_AUDIT_WITNESSES', witness, 'needs the URL'],
    ['QUIPU_AUDIT_WITNESSES', `${witness} ftp://w.test`, 'needs the URL'],
    ['QUIPU_AUDIT_WITNESSES', `${signing} https://w.test`, 'not one that cosigns'],
    ['QUIPU_AUDIT_WITNESSES', 'key https://w.test', 'a verifier key is'],
  ])('reject %s=%s', (name, value, reason) => {
    expect(() => read({ [name]: value })).toThrow(reason);
  });
});
