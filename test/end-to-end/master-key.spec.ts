import { readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { type MasterKeyAdopted } from '#events/platform/master-key.events.js';
import { CommandLine } from './command-line.fixture.js';
import { answering, startWorld, type World } from './quipu.harness.js';

let world: World;
const commandLine = new CommandLine(() => world);

beforeEach(async () => {
  world = await startWorld([answering('Knots', '.')]);
});

afterEach(async () => {
  await world.close();
});

const keyFile = (name = 'master.key') => path.join(world.home, name);

const keyIdOfLog = async (): Promise<string> => {
  const [first] = await world.events();
  expect(first).toMatchObject({ type: 'MasterKeyAdopted', stream: 'masterkey-installation' });
  return (first?.data as MasterKeyAdopted['data']).keyId;
};

const signIn = async () => {
  const { username, password } = world.credentials;
  const { status } = await request(world.quipu.url)
    .post('/api/v1/auth/login')
    .send({ username, password });
  return status;
};

describe('an installation whose master key is lost', () => {
  it('does not start with a new one, and says which one the log was written with', async () => {
    const keyId = await keyIdOfLog();
    await rename(keyFile(), keyFile('elsewhere'));
    const reason = `there is no ${keyFile()}: put the master key ${keyId} that the log was`;
    await expect(world.restart()).rejects.toThrow(reason);
    const check = await commandLine.run('ledger', 'check');
    expect(check.exitCode).toBe(2);
    expect(JSON.parse(check.stderr)).toMatchObject({ code: 'bad_settings' });
    expect(check.stderr).toContain(keyId);
    expect(await readdir(world.home)).not.toContain('master.key');
    await rename(keyFile('elsewhere'), keyFile());
    world = await world.restart();
    expect(await signIn()).toBe(200);
  });
});

describe('an installation whose subject keys are lost', () => {
  it('starts only after an operator has taken the log over', async () => {
    await rename(keyFile('subject-keys.db'), keyFile('elsewhere.db'));
    await expect(world.restart()).rejects.toThrow('the log was written with the set');
    const reason = ['--reason', 'a lost disk'];
    const claim = await commandLine.result('log', 'claim', '--yes', ...reason);
    expect(claim).toMatchObject({ claimed: true });
    expect(await commandLine.result('log', 'claim', '--yes', ...reason)).toMatchObject({
      claimed: false,
    });
    world = await world.restart();
    const { status } = await request(world.quipu.url).get('/health/ready');
    expect(status).toBe(200);
  });
});

describe('a rotation of the master key', () => {
  it('leaves a running gateway, users and keys as they are, also over a restart', async () => {
    const previous = await keyIdOfLog();
    const rotated = await commandLine.result('master-key', 'rotate');
    expect(rotated).toMatchObject({
      previous_key_id: previous,
      file: keyFile(),
      previous_file: keyFile(`master.key.${previous}`),
    });
    expect(await signIn()).toBe(200);
    world = await world.restart();
    expect(await signIn()).toBe(200);
    const { choices } = await world.openai.chat.completions.create({
      model: 'acme/scripted',
      messages: [{ role: 'user', content: 'Tell me of knots.' }],
    });
    expect(choices[0]?.message.content).toBe('Knots.');
    expect(await commandLine.result('ledger', 'check')).toMatchObject({ balanced: true });
  });

  it('refuses the master key before it, and names the new one', async () => {
    const { key_id: keyId, previous_file: kept } = (await commandLine.result(
      'master-key',
      'rotate',
    )) as { readonly key_id: string; readonly previous_file: string };
    await world.quipu.stop();
    await rename(kept, keyFile());
    await expect(world.restart()).rejects.toThrow(
      `the log was written with the master key ${keyId}`,
    );
  });

  it('leaves the file where the operator distributes the new one', async () => {
    const to = keyFile('next.key');
    const rotated = await commandLine.result('master-key', 'rotate', '--to', to);
    expect(rotated).toMatchObject({ file: to, previous_file: keyFile() });
    await rename(to, keyFile());
    world = await world.restart();
    expect(await signIn()).toBe(200);
  });
});
