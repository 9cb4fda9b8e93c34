import { randomUUID } from 'node:crypto';
import { type ICommand } from '@nestjs/cqrs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { z } from 'zod';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { BusError } from '#platform/bus/bus.errors.js';
import { type Bus } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { type CommandContext } from '../commands/command-context.js';
import { Consumers, defineConsumer } from './consumer.js';

interface Sent extends ICommand {
  readonly pieces: number;
  readonly context: CommandContext;
}

const consumer = defineConsumer({
  topic: 'orders',
  group: 'stock.orders',
  schema: z.strictObject({ pieces: z.int() }),
  attemptsMax: 2,
  toCommand: ({ pieces }, context): Sent | null => (pieces === 0 ? null : { pieces, context }),
});

const message = (data: unknown, id = randomUUID()) => ({ key: 'order-1', id, headers: {}, data });

describe('the consumers of areas', () => {
  let bus: Bus;
  let sent: Sent[];
  let fail: boolean;
  let consumers: Consumers;

  beforeEach(() => {
    bus = createInProcessBus();
    sent = [];
    fail = false;
    consumers = consumersOn(bus);
    consumers.start();
  });

  const consumersOn = (on: Pick<Bus, 'consume'>): Consumers =>
    new Consumers(
      [consumer],
      on,
      (command) => {
        sent.push(command as Sent);
        return fail ? Promise.reject(new Error('the store is away')) : Promise.resolve();
      },
      pino({ level: 'silent' }),
    );

  afterEach(async () => {
    await consumers.stop();
    await bus.close();
  });

  const dead = async () => (await bus.deadLetters('orders', 'stock.orders')).length;
  it('send a command for each message, with ids that derive from the message', async () => {
    const id = randomUUID();
    await bus.publish('orders', [message({ pieces: 3 }, id), message({ pieces: 3 }, id)]);
    await eventually(() => sent.length === 2);
    const [one, two] = sent;
    expect(one?.context).toEqual(two?.context);
    expect(one?.context).toMatchObject({ correlationId: id, causationId: id, actor: 'bus:orders' });
    expect(one?.context.requestId).not.toBe(id);
  });

  it('send nothing for a message that leads to nothing', async () => {
    await bus.publish('orders', [message({ pieces: 0 }), message({ pieces: 1 })]);
    await eventually(() => sent.length > 0);
    expect(sent.map(({ pieces }) => pieces)).toEqual([1]);
  });

  it('make a message that does not fit a dead letter, with the reason', async () => {
    await bus.publish('orders', [message({ pieces: 'three' })]);
    await eventually(async () => (await dead()) === 1);
    const [letter] = await bus.deadLetters('orders', 'stock.orders');
    expect(letter?.reason).toContain('pieces');
    expect(sent).toEqual([]);
  });

  it('try a command that fails again, as often as the area says', async () => {
    fail = true;
    await bus.publish('orders', [message({ pieces: 1 })]);
    await eventually(async () => (await dead()) === 1);
    expect(sent).toHaveLength(2);
  });

  it('take nothing more after a stop, and start again where they were', async () => {
    await consumers.stop();
    await bus.publish('orders', [message({ pieces: 1 })]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toEqual([]);
    consumers.start();
    await eventually(() => sent.length === 1);
  });

  it('join a topic as soon as the broker answers', async () => {
    await consumers.stop();
    let outages = 2;
    consumers = consumersOn({
      consume: (options) => {
        outages -= 1;
        return outages < 0
          ? bus.consume(options)
          : Promise.reject(new BusError('bus-unavailable', 'no broker'));
      },
    });
    consumers.start();
    await bus.publish('orders', [message({ pieces: 1 })]);
    await eventually(() => sent.length === 1);
    expect(outages).toBe(-1);
  });

  it('stop while the broker is away', async () => {
    await consumers.stop();
    const consume = () => Promise.reject(new BusError('bus-unavailable', 'no broker'));
    consumers = consumersOn({ consume });
    consumers.start();
    await consumers.stop();
    await bus.publish('orders', [message({ pieces: 1 })]);
    expect(sent).toEqual([]);
  });
});
