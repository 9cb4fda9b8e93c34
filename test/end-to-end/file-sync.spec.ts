import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RentalDto } from '#apps/gateway/rentals/rentals.dto.js';
import { recordedVectors } from '#platform/delta/delta.fixture.js';
import { CommandLine } from './command-line.fixture.js';
import { RENTALS, RentalsWorld } from './rentals.harness.js';

const SYNC = '/api/jobs/sync_file';

const sha256 = (content: Buffer | string): string =>
  createHash('sha256').update(content).digest('hex');

describe('file sync', () => {
  const rented = new RentalsWorld();
  const line = new CommandLine(() => rented.world);
  let rental: RentalDto;
  const files = (...names: readonly string[]): string =>
    path.join(rented.workspaceOf(rental), ...names);

  beforeAll(async () => {
    await rented.begin();
    rental = await rented.startRunning();
  });

  afterAll(() => rented.end());

  type Fields = Readonly<Record<string, string>>;
  const fieldsOf = (file_path: string, more: Fields = {}): Fields => ({
    api_key: rented.world.credentials.renter_key,
    job_id: String(rental.job_id),
    file_path,
    ...more,
  });
  const send = (fields: Fields, content?: Buffer) => {
    const form = rented.http().post(SYNC);
    for (const [name, value] of Object.entries(fields)) void form.field(name, value);
    return content ? form.attach('file_content', content, 'upload') : form;
  };

  it('replaces a file by the content of a multipart form, and says what it has', async () => {
    const content = Buffer.from([0, 1, 2, 255, 13, 10]);
    const fields = fieldsOf('src/data/one.bin', { checksum: sha256(content).toUpperCase() });
    const { body } = await send(fields, content).expect(200);
    expect(body).toEqual({
      success: true,
      message: 'File synced.',
      file_path: 'src/data/one.bin',
      size: 6,
      checksum: sha256(content),
    });
    expect(await readFile(files('src/data/one.bin'))).toEqual(content);
    const events = await rented.world.events();
    const synced = events.find(({ type }) => type === 'RentalFileSynced');
    expect(JSON.stringify(synced?.data)).not.toContain('one.bin');
  });

  it('takes a field without a file name as bytes, also an empty one', async () => {
    const boundary = 'cut';
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    for (const content of ['é\0è', '']) {
      const fields = { ...fieldsOf('plain.txt'), file_content: content };
      const parts = Object.entries(fields).map(([name, value]) => part(name, value));
      const type = `multipart/form-data; boundary=${boundary}`;
      const form = `${parts.join('')}--${boundary}--\r\n`;
      await rented.http().post(SYNC).set('content-type', type).send(form).expect(200);
      expect(await readFile(files('plain.txt'), 'utf8')).toBe(content);
    }
  });

  it('takes a urlencoded form, whose escapes are bytes', async () => {
    const content = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const escaped = [...content].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const fields = Object.entries(fieldsOf('all.bin', { checksum: sha256(content) }));
    const text = new URLSearchParams(Object.fromEntries(fields)).toString();
    const form = rented.http().post(SYNC).set('content-type', 'application/x-www-form-urlencoded');
    await form.send(`${text}&file_content=${escaped}`).expect(200);
    expect(await readFile(files('all.bin'))).toEqual(content);
  });

  it('takes the fields after the content', async () => {
    const form = rented.http().post(SYNC).attach('file_content', Buffer.from('late'), 'upload');
    for (const [name, value] of Object.entries(fieldsOf('late.txt'))) void form.field(name, value);
    await form.expect(200);
    expect(await readFile(files('late.txt'), 'utf8')).toBe('late');
    const large = Buffer.alloc(16_385);
    const unknown = rented.http().post(SYNC).attach('file_content', large, 'upload');
    const { body } = await unknown.field(fieldsOf('large.txt')).expect(413);
    expect(body).toMatchObject({ success: false, code: 'sync_file_too_large' });
  });

  it('applies the deltas of xdelta3 and bsdiff, with the digest of either kind', async () => {
    const [vector] = recordedVectors();
    const { base, result, deltas } = vector ?? { base: Buffer.of(), result: Buffer.of() };
    const md5 = createHash('md5').update(result).digest('hex');
    for (const name of ['xdelta3 -S none', 'bsdiff']) {
      await send(fieldsOf('model.bin'), base).expect(200);
      const delta = deltas?.get(name) ?? Buffer.of();
      const digests = { checksum: md5, base_checksum: sha256(base) };
      const fields = fieldsOf('model.bin', { is_delta: '1', ...digests });
      const { body } = await send(fields, delta).expect(200);
      expect(body).toMatchObject({ size: result.length, checksum: md5 });
      expect(await readFile(files('model.bin'))).toEqual(result);
      // The base is another one now.
      const again = await send(fields, delta).expect(409);
      expect(again.body).toMatchObject({ success: false, code: 'sync_base_mismatch' });
      expect(await readFile(files('model.bin'))).toEqual(result);
    }
  });

  it('leaves the file as it was, and nothing beside it, when anything is wrong', async () => {
    await send(fieldsOf('kept.txt'), Buffer.from('kept')).expect(200);
    const wrong = { checksum: sha256('other') };
    const delta = { is_delta: '1' };
    const [vector] = recordedVectors();
    const compressed = vector?.compressed.get('xdelta3 -S lzma') ?? Buffer.of();
    const attempts: readonly [Fields, Buffer, number, string][] = [
      [wrong, Buffer.from('new'), 422, 'sync_checksum_mismatch'],
      [{ checksum: 'abc' }, Buffer.from('new'), 400, 'sync_parameter_invalid'],
      [{ is_delta: '2' }, Buffer.from('new'), 400, 'sync_parameter_invalid'],
      [{ base_checksum: sha256('') }, Buffer.from('new'), 400, 'sync_parameter_invalid'],
      [delta, Buffer.from('no delta'), 422, 'sync_delta_invalid'],
      [delta, compressed, 422, 'sync_delta_invalid'],
      [{}, Buffer.alloc(24 * 1_024 ** 2 + 1), 413, 'sync_file_too_large'],
    ];
    for (const [more, content, status, code] of attempts) {
      const { body } = await send(fieldsOf('kept.txt', more), content).expect(status);
      expect(body).toMatchObject({ success: false, code });
    }
    expect(await readFile(files('kept.txt'), 'utf8')).toBe('kept');
    expect(await readdir(path.join(rented.world.home, 'rentals/incoming'))).toEqual([]);
  });

  it('needs a base for a delta', async () => {
    const fields = fieldsOf('absent.bin', { is_delta: '1' });
    const { body } = await send(fields, Buffer.from('delta')).expect(409);
    expect(body).toMatchObject({ success: false, code: 'sync_base_missing' });
  });

  it.each([
    '../up.txt',
    'a/../../up.txt',
    '/etc/passwd',
    'a//b',
    './a',
    'a/',
    'C:/a',
    'a\\b',
    'nul',
    'dir/COM1.txt',
  ])('stays in the workspace: %s', async (filePath) => {
    const { body } = await send(fieldsOf(filePath), Buffer.from('out')).expect(400);
    expect(body).toMatchObject({ success: false, code: 'sync_path_invalid', param: 'file_path' });
  });

  it('goes through no symbolic link, and replaces none', async () => {
    const outside = path.join(rented.world.home, 'outside');
    await mkdir(outside);
    await writeFile(path.join(outside, 'file'), 'mine');
    await symlink(outside, files('linked'));
    await symlink(path.join(outside, 'file'), files('link.txt'));
    const through = await send(fieldsOf('linked/file'), Buffer.from('out')).expect(400);
    expect(through.body).toMatchObject({ code: 'sync_path_invalid' });
    for (const more of [{}, { is_delta: '1' }]) {
      const { body } = await send(fieldsOf('link.txt', more), Buffer.from('out')).expect(409);
      expect(body).toMatchObject({ code: 'sync_not_a_file' });
    }
    const folder = await send(fieldsOf('linked'), Buffer.from('out')).expect(409);
    expect(folder.body).toMatchObject({ code: 'sync_not_a_file' });
    expect(await readFile(path.join(outside, 'file'), 'utf8')).toBe('mine');
    expect(await readdir(outside)).toEqual(['file']);
  });

  it('answers with the errors of the interface', async () => {
    const content = Buffer.from('x');
    const { api_key: _, ...keyless } = fieldsOf('a.txt');
    const missing = await send(keyless, content).expect(400);
    expect(missing.body).toMatchObject({
      success: false,
      message: 'Missing required parameters: api_key',
    });
    const empty = await rented.http().post(SYNC).field('api_key', 'x').expect(400);
    expect((empty.body as { readonly message: string }).message).toBe(
      'Missing required parameters: job_id, file_path, file_content',
    );
    const stale = await send({ ...fieldsOf('a.txt'), api_key: 'svc_api_unknown' }, content);
    expect([stale.status, stale.body]).toMatchObject([
      401,
      { success: false, message: 'Invalid or inactive API key' },
    ]);
    const unknown = await send({ ...fieldsOf('a.txt'), job_id: '999' }, content).expect(404);
    expect(unknown.body).toMatchObject({ success: false });
    expect((unknown.body as { readonly message: string }).message).toMatch(/^Job not found/);
  });

  it('accepts the API key of the account, and no key of another one', async () => {
    const own = { ...fieldsOf('own.txt'), api_key: rented.world.credentials.api_key };
    await send(own, Buffer.from('own')).expect(200);
    const { api_key } = await line.createUser('third', 'renter');
    await send({ ...fieldsOf('own.txt'), api_key }, Buffer.from('theirs')).expect(404);
    expect(await readFile(files('own.txt'), 'utf8')).toBe('own');
  });

  it('accepts forms only, here and nowhere else', async () => {
    await rented.http().post(SYNC).send({ job_id: 1 }).expect(415);
    await rented
      .http()
      .post(RENTALS)
      .set(rented.bearer())
      .type('form')
      .send('rig=rack')
      .expect(415);
  });

  it('ends with the rental', async () => {
    const over = await rented.startRunning();
    await rented.stop(over.job_id);
    const fields = { ...fieldsOf('a.txt'), job_id: String(over.job_id) };
    await send(fields, Buffer.from('late')).expect(404);
  });
});
