import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseCheckpoint } from '#platform/audit/checkpoint.js';
import { EMPTY_ROOT, isConsistent } from '#platform/audit/merkle.js';
import {
  ED25519_COSIGNATURE,
  encodeVerifierKey,
  NoteSigner,
  parseNote,
} from '#platform/audit/signed-note.js';

/**
 * A witness of C2SP tlog-witness with a memory: it cosigns a checkpoint whose tree begins with the
 * tree that it has cosigned before, and no other.
 */
export const startWitness = async () => {
  const signer = new NoteSigner('witness.test/drill', Buffer.alloc(32, 7), ED25519_COSIGNATURE);
  let seen = { size: 0, root: EMPTY_ROOT };
  let refused = 0;
  const answerTo = (body: string): { readonly status: number; readonly answer: string } => {
    const [head, note] = splitOnce(body, '\n\n');
    const [old, ...hashes] = head.split('\n');
    if (old !== `old ${seen.size}`) return { status: 409, answer: `${seen.size}\n` };
    const { text: signed } = parseNote(note);
    const { size, root } = parseCheckpoint(signed);
    const proof = hashes.map((hash) => Buffer.from(hash, 'base64'));
    const claim = { oldSize: seen.size, oldRoot: seen.root, size, root, proof };
    if (!isConsistent(claim)) {
      refused += 1;
      return { status: 422, answer: '' };
    }
    seen = { size, root: Buffer.from(root) };
    return { status: 200, answer: signer.sign(signed, Math.floor(Date.now() / 1_000)) };
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { status, answer } = answerTo(body);
      response.writeHead(status).end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const key = encodeVerifierKey(signer.key);
  return {
    key,
    /** For `QUIPU_AUDIT_WITNESSES`. */
    setting: `${key} http://127.0.0.1:${port}`,
    /** Checkpoints that did not begin with the ones before. */
    refused: () => refused,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

const splitOnce = (whole: string, at: string): readonly [string, string] => {
  const index = whole.indexOf(at);
  return [whole.slice(0, index), whole.slice(index + at.length)];
};
