import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { openKafkaBus } from '#platform/bus/kafka/kafka-bus.js';
import { readKafkaUrl } from '#platform/bus/kafka/kafka-url.js';
import { tasksTopicOf, workersGroupOf } from '#platform/tasks/task.protocol.js';
import { type WorkerReport } from '#apps/worker/worker.operations.js';
import { type Member } from '../../end-to-end/fleet.harness.js';
import { eventually } from '../../end-to-end/quipu.harness.js';
import {
  BUILT_IN,
  type FleetUnderFault,
  startFleetUnderFault,
} from './fleet-under-fault.harness.js';
import { Load } from './load.js';
import { expectSound, expectHonestFailures } from './sound.js';
import { asOperator } from '#apps/operations/operations.fixture.js';

const TASKS_TOPIC = tasksTopicOf('text');
const ANSWERS_MS = 60_000;
const KILLS = 4;
/** The longest leadership term before a kill. */
const TERM_MS_MAX = 600;

describe('a fleet under load, of which', () => {
  let fleet: FleetUnderFault;
  let load: Load;

  beforeAll(async () => {
    fleet = await startFleetUnderFault({ gateways: 2, projectors: 2, workers: 2 });
  });

  afterEach(() => load.leave());

  afterAll(() => fleet.close());

  const runningTasks = async ({ url }: Member): Promise<number> => {
    const report = (await (await fetch(`${url}/health/ready`, asOperator)).json()) as WorkerReport;
    return report.running_tasks;
  };

  const untilStandbyOf = async (frozen: Member): Promise<void> => {
    const [next] = fleet.projectors.filter((one) => one !== frozen);
    await eventually(async () => (await next?.report())?.lease?.role === 'leader', ANSWERS_MS);
  };

  it('a worker is killed during a task, which another worker runs', async () => {
    load = new Load(fleet, { model: BUILT_IN });
    await load.answers(5, ANSWERS_MS);
    const [worker] = fleet.workers;
    if (!worker) throw new Error('there is no worker');
    await eventually(async () => (await runningTasks(worker)) > 0);
    await worker.end('SIGKILL');
    await load.answers(10, ANSWERS_MS);
    await worker.start();
    await load.answers(10, ANSWERS_MS);
    await load.stop();
    expectHonestFailures(load);
    await expectSound(fleet, load);
  });

  it('a gateway is killed during requests, which the others settle on a retry', async () => {
    load = new Load(fleet);
    const [gateway] = fleet.gateways;
    if (!gateway) throw new Error('there is no gateway');
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await load.answers(10, ANSWERS_MS);
      await gateway.end('SIGKILL');
      await load.fails(ANSWERS_MS);
      await gateway.start();
    }
    await load.answers(10, ANSWERS_MS);
    await load.stop();
    expectHonestFailures(load);
    await expectSound(fleet, load);
  });

  it(`the leading projector is killed, ${KILLS} times, between any two steps`, async () => {
    load = new Load(fleet);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const leader = await fleet.leader();
      // Terms of different lengths, so that kills hit different steps.
      await new Promise((resolve) => setTimeout(resolve, (TERM_MS_MAX * kill) / KILLS));
      await leader.end('SIGKILL');
      leader.spawn();
    }
    await fleet.allReady();
    await load.answers(10, ANSWERS_MS);
    await load.stop();
    // Chats need no projection.
    expect(load.failed).toEqual([]);
    await expectSound(fleet, load);
  });

  it('the leading projector is stopped for longer than its lease, and continues', async () => {
    load = new Load(fleet);
    await load.answers(10, ANSWERS_MS);
    const leader = await fleet.leader();
    leader.signal('SIGSTOP');
    await untilStandbyOf(leader);
    await load.answers(20, ANSWERS_MS);
    leader.signal('SIGCONT');
    await eventually(async () => (await leader.report())?.lease?.role === 'standby', ANSWERS_MS);
    await load.answers(20, ANSWERS_MS);
    await fleet.allReady();
    await load.stop();
    expect(load.failed).toEqual([]);
    await expectSound(fleet, load);
  });

  it('a worker gets a malformed task: it becomes a dead letter, and other tasks run', async () => {
    load = new Load(fleet, { model: BUILT_IN });
    await load.answers(5, ANSWERS_MS);
    const poison = { key: 'poison', id: '00000000-0000-4000-8000-0000000000aa' };
    const bus = await openKafkaBus(readKafkaUrl(fleet.busUrl));
    await bus.publish(TASKS_TOPIC, [{ ...poison, headers: { task: 'none' }, data: 'poison' }]);
    await bus.close();
    const of = ['--topic', TASKS_TOPIC, '--group', workersGroupOf('text')];
    const letters = async (): Promise<unknown> =>
      ((await fleet.quipu('deadletters', 'list', ...of)) as { dead_letters: unknown }).dead_letters;
    const put = [{ ...poison, attempts: 1, reason: expect.stringContaining('task') }];
    await eventually(async () => ((await letters()) as unknown[]).length > 0, ANSWERS_MS);
    expect(await letters()).toMatchObject(put);
    const retried = await fleet.quipu('deadletters', 'retry', ...of, poison.id);
    expect(retried).toMatchObject({ retried: [poison.id] });
    // The retry fails in the same way.
    await eventually(async () => ((await letters()) as unknown[]).length > 0, ANSWERS_MS);
    expect(await letters()).toMatchObject(put);
    await load.answers(10, ANSWERS_MS);
    await load.stop();
    expect(load.failed).toEqual([]);
    await expectSound(fleet, load);
  });
});
