import { describe, expect, it } from '@jest/globals';
import { ANONYMOUS_BODY_BYTES_MAX } from '../bodies/receptions.js';
import { type FormPart } from '../uploads/form-part.js';
import { SyncForm } from './sync-form.js';

const KEY = 'svc_api_known';
const RENTAL = { rentalId: 'r1', accountId: '7', userId: 7 };
const INCOMING = { path: '/incoming/1', bytes: 1, sha256: 'a', md5: 'b' };

const field = (name: string, value: string): FormPart => ({ kind: 'field', name, value });
const content = (name = 'file_content'): FormPart => ({
  kind: 'file',
  name,
  filename: '',
  content: (async function* () {
    await Promise.resolve();
    yield Buffer.of(1);
  })(),
});
const api_key = field('api_key', KEY);
const job_id = field('job_id', '3');
const file_path = field('file_path', 'a.txt');

/** The form read from the parts, and its effects meanwhile. */
const read = async (...parts: readonly FormPart[]) => {
  const story: string[] = [];
  const credential = { kind: 'renter_key', id: 'hash' };
  const caller = { accountId: '7', userId: 7, role: 'renter', credential };
  const authenticator = {
    authenticate: (token: string) => {
      story.push(`authenticate ${token}`);
      if (token === 'svc_app_session') return { ...caller, credential: { kind: 'app_token' } };
      return token === KEY ? caller : null;
    },
  };
  const files = {
    rental: (number: number) => {
      story.push(`rental ${number}`);
      return Promise.resolve(RENTAL);
    },
    receive: (_: unknown, bytesMax?: number) => {
      story.push(`receive ${bytesMax ?? 'any'}`);
      return Promise.resolve(INCOMING);
    },
    discard: () => {
      story.push('discard');
      return Promise.resolve();
    },
  };
  const admit = () => void story.push('count');
  const form = new SyncForm(authenticator as never, admit, files as never);
  async function* all() {
    await Promise.resolve();
    yield* parts;
  }
  const outcome = await form.read(all()).catch((error: unknown) => error);
  return { story, outcome };
};

describe('the form of a file sync', () => {
  it('is admitted before its content is read, once', async () => {
    const { story, outcome } = await read(api_key, job_id, content(), file_path);
    expect(story).toEqual([`authenticate ${KEY}`, 'count', 'rental 3', 'receive any']);
    const order = { filePath: 'a.txt', isDelta: false, checksum: null, baseChecksum: null };
    expect(outcome).toEqual({ rental: RENTAL, order, incoming: INCOMING });
  });

  it('receives little from a caller that is not known yet', async () => {
    const { story } = await read(api_key, content(), job_id, file_path);
    const admitted = [`authenticate ${KEY}`, 'count', 'rental 3'];
    expect(story).toEqual([`receive ${ANONYMOUS_BODY_BYTES_MAX}`, ...admitted]);
  });

  it.each([
    ['of an unknown key', field('api_key', 'svc_api_other'), 'sync_key_invalid'],
    ['of an access token', field('api_key', 'svc_app_session'), 'sync_key_invalid'],
  ])('%s is rejected before its content is read', async (_, key, code) => {
    const { story, outcome } = await read(key, job_id, content(), file_path);
    expect(outcome).toMatchObject({ code });
    expect(story.filter((what) => what.startsWith('receive'))).toEqual([]);
  });

  it.each([
    ['without a path', [api_key, job_id, content()], 'sync_parameters_missing'],
    [
      'with an empty path',
      [api_key, job_id, content(), field('file_path', '')],
      'sync_parameters_missing',
    ],
    [
      'with a path outside',
      [api_key, job_id, content(), field('file_path', '../a')],
      'sync_path_invalid',
    ],
    [
      'with two contents',
      [api_key, job_id, content(), content(), file_path],
      'sync_parameter_invalid',
    ],
    [
      'with another file',
      [api_key, job_id, content(), content('other'), file_path],
      'sync_parameter_invalid',
    ],
    [
      'without a number',
      [api_key, field('job_id', '3a'), file_path, content()],
      'sync_parameter_invalid',
    ],
    [
      'with a wrong digest',
      [api_key, job_id, file_path, content(), field('checksum', 'x')],
      'sync_parameter_invalid',
    ],
  ])('%s is rejected, and leaves nothing', async (_, parts, code) => {
    const { story, outcome } = await read(...parts);
    expect(outcome).toMatchObject({ code });
    const isReceived = story.some((what) => what.startsWith('receive'));
    expect(story.includes('discard')).toBe(isReceived);
  });
});
