import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RentalDto } from '#apps/gateway/rentals/rentals.dto.js';
import { CommandLine, type CreatedUser } from './command-line.fixture.js';
import { eventsOf, eventually } from './quipu.harness.js';
import { found, HOURLY_USD, RENTALS, RentalsWorld } from './rentals.harness.js';

describe('rentals', () => {
  const rented = new RentalsWorld();
  const line = new CommandLine(() => rented.world);

  beforeAll(() => rented.begin());

  afterAll(() => rented.end());

  describe('a program', () => {
    it('runs in its workspace with its ports, and is charged by the second', async () => {
      const script = 'echo "$GREETING from $QUIPU_FIRST_PORT $QUIPU_HOME"; pwd; sleep 1.2; exit 3';
      const { job_id: number } = await rented.start('/bin/sh', '-c', script);
      const ended = await rented.inState(number, 'completed');
      expect(ended).toMatchObject({ exit_code: 3, rig: 'rack', hourly_usd: HOURLY_USD });
      expect(ended.last_port - ended.first_port).toBe(99);
      // Neither a setting of the service nor its folder is in the environment of the program.
      expect(await rented.logOf(number)).toContain(`\nhello from ${ended.first_port} \n`);
      expect(await rented.logOf(number)).toContain(`\n${rented.workspaceOf(ended)}\n`);
      const { seconds, charge } = await found(async () => {
        const rental = await rented.shown(number);
        return rental.charge ? rental : undefined;
      });
      expect(seconds).toBeGreaterThanOrEqual(2);
      expect(charge).toEqual({ outcome: 'charged', amount_micro_usd: String(seconds) });
    });

    it('is stopped with all that it has started, which is noted in its log', async () => {
      const script = 'trap "" TERM; sleep 600 & echo "child $!"; wait; wait';
      const { job_id: number } = await rented.start('/bin/sh', '-c', script);
      const child = await found(async () => /child (\d+)/.exec(await rented.logOf(number))?.[1]);
      expect(process.kill(Number(child), 0)).toBe(true);
      await rented.stop(number);
      await eventually(() => {
        try {
          process.kill(Number(child), 0);
          return false;
        } catch {
          return true;
        }
      });
      expect(await rented.logOf(number)).toContain('[quipu] the rental stops as it was asked to');
    });

    it('that does not exist fails the rental, which costs nothing', async () => {
      const { job_id: number } = await rented.start('/no/such/program');
      const failed = await rented.inState(number, 'failed');
      expect(failed.error).toMatchObject({ code: 'rental_not_started' });
      expect(failed.seconds).toBe(0);
    });

    it('in a container is refused where rentals run as processes', async () => {
      const order = { rig: 'rack', command: ['true'], image: 'debian:stable-slim' };
      const { job_id: number } = await rented.accepted(order);
      const { error } = await rented.inState(number, 'failed');
      expect(error).toMatchObject({ code: 'rental_image_unsupported' });
    });
  });

  describe('an order', () => {
    it.each([
      ['of a rig that is not for rent', 404, { rig: 'kept', command: ['true'] }, 'rig'],
      ['without a program', 400, { rig: 'rack', command: [] }, 'command'],
      ['with a NUL', 400, { rig: 'rack', command: ['a\0b'] }, 'command'],
      [
        'of a reserved variable',
        400,
        { rig: 'rack', command: ['true'], environment: { QUIPU_HOME: '/' } },
        'environment',
      ],
      ['of an option for an image', 400, { rig: 'rack', command: ['a'], image: '-v' }, 'image'],
    ])('%s is rejected by the name of its field', async (_, status, order, field) => {
      const { body } = await rented.order(order).expect(status);
      expect(body).toMatchObject({ success: false, message: expect.stringContaining(field) });
    });

    it('gets ports that no other rental has, until there are none', async () => {
      const three = [
        await rented.startRunning(),
        await rented.startRunning(),
        await rented.startRunning(),
      ];
      expect(three.map(({ first_port: port }) => port).sort()).toEqual([41_000, 41_100, 41_200]);
      const order = { rig: 'rack', command: ['true'] };
      const full = await rented.order(order).expect(503);
      expect(full.body).toMatchObject({ success: false, code: 'ports_exhausted' });
      const [first] = three;
      await rented.stop(first?.job_id ?? 0);
      const next = await found(async () => {
        const { status, body } = await rented.order(order);
        return status === 202 ? (body as { readonly rental: RentalDto }).rental : undefined;
      });
      expect(next.first_port).toBe(first?.first_port);
      for (const { job_id: number } of three.slice(1)) await rented.stop(number);
      await rented.inState(next.job_id, 'completed');
    });

    it('without funds is rejected, and its ports are free again', async () => {
      const poor = (await line.createUser('poor', 'renter')).api_key;
      const order = { rig: 'rack', command: ['true'] };
      // The ports of the rentals before are free a moment after their end.
      const { status, body, headers } = await found(async () => {
        const authorization = `Bearer ${poor}`;
        const answer = await rented.http().post(RENTALS).set({ authorization }).send(order);
        return answer.status === 503 ? undefined : answer;
      });
      expect(status).toBe(402);
      expect(body).toMatchObject({ success: false, code: 'insufficient_balance' });
      const requestId = headers['x-request-id'] ?? null;
      const types = eventsOf(await rented.world.events(), requestId).map(({ type }) => type);
      expect(types).toEqual(['PortBlockReserved', 'PortBlockReleased']);
    });
  });

  it('are seen by their account alone, and by an Admin', async () => {
    const rental = await rented.startRunning();
    const other: CreatedUser = await line.createUser('other', 'renter');
    const authorization = `Bearer ${other.api_key}`;
    const address = `${RENTALS}/${rental.job_id}`;
    for (const hidden of [address, `${address}/logs`]) {
      await rented.http().get(hidden).set({ authorization }).expect(404);
    }
    await rented.http().post(`${address}/stop`).set({ authorization }).expect(404);
    const { body } = await rented.http().get(RENTALS).set({ authorization }).expect(200);
    expect(body).toEqual({ success: true, rentals: [], next_after: null });
    await rented.stop(rental.job_id);
  });

  it('are started, listed, shown, followed and stopped on the command line', async () => {
    const user = 'demo';
    const started = (await line.result(
      ...[
        'rentals',
        'start',
        '--user',
        user,
        '--rig',
        'rack',
        '--',
        'sh',
        '-c',
        'echo hi; sleep 99',
      ],
    )) as { readonly job_id: number };
    const number = String(started.job_id);
    await rented.inState(started.job_id, 'running');
    await eventually(async () => (await rented.logOf(started.job_id)).includes('hi\n'));
    expect(await line.result('rentals', 'list', '--user', user, '--limit', '1')).toMatchObject({
      rentals: [{ job_id: started.job_id, state: 'running' }],
      next_after: started.job_id,
    });
    await line.result('rentals', 'stop', number, '--yes');
    await rented.inState(started.job_id, 'cancelled');
    expect(await line.result('rentals', 'show', number)).toMatchObject({ state: 'cancelled' });
    const { stdout } = await line.run('rentals', 'logs', number, '--follow');
    expect(stdout).toContain('hi\\n');
    expect((await line.run('rentals', 'show', '999999')).stderr).toContain('rental_not_found');
  });
});
