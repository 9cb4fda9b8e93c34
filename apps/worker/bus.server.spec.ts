import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, type DynamicModule, Module, UseFilters } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { defer, type Observable } from 'rxjs';
import { BusError } from '#platform/bus/bus.errors.js';
import { type Bus, type Delivery } from '#platform/bus/bus.port.js';
import { createInProcessBus } from '#platform/bus/in-process/in-process-bus.js';
import { eventually } from '#platform/kernel/eventually.fixture.js';
import { BusServer } from './bus.server.js';
import { RethrowFilter } from './tasks.controller.js';

const TOPIC = 'quipu.server-spec';
const SHARED = 'all-of-us';
const OWN = 'just-me';

const handled: { readonly by: string; readonly delivery: Delivery }[] = [];
let failures = 0;

@Controller()
@UseFilters(RethrowFilter)
class Listener {
  @EventPattern(TOPIC, { group: SHARED, attemptsMax: 2 })
  shared(@Payload() delivery: Delivery): Promise<void> {
    handled.push({ by: 'shared', delivery });
    if (failures === 0) return Promise.resolve();
    failures -= 1;
    return Promise.reject(new Error('out of paper'));
  }

  @EventPattern(`${TOPIC}.all`, { group: OWN })
  each(@Payload() delivery: Delivery): Observable<void> {
    // Emits nothing and acts only on subscription.
    return defer(() => {
      handled.push({ by: 'each', delivery });
      return [];
    });
  }
}

@Controller()
class Answering {
  @MessagePattern(TOPIC)
  answer(): string {
    return 'yes';
  }
}

@Controller()
class Ungrouped {
  @EventPattern(TOPIC)
  hear(@Payload() delivery: Delivery): string {
    return delivery.key;
  }
}

@Module({})
class Composed {}

describe('Nest on the bus', () => {
  let bus: Bus;

  beforeEach(() => {
    bus = createInProcessBus();
    handled.length = 0;
    failures = 0;
  });

  afterEach(() => bus.close());

  const serve = async (controller: new () => object) => {
    const module: DynamicModule = { module: Composed, controllers: [controller] };
    const server = new BusServer(bus);
    const app = await NestFactory.createMicroservice(module, { strategy: server, logger: false });
    return { app, server };
  };

  const publish = async (topic: string, data: unknown) => {
    const message = { key: 'k', id: randomUUID(), headers: { a: 'b' }, data };
    await bus.publish(topic, [message]);
    return message;
  };

  it('passes the whole delivery to the method of its topic', async () => {
    const { app } = await serve(Listener);
    await app.listen();
    const message = await publish(TOPIC, { n: 1 });
    await eventually(() => handled.length === 1);
    expect(handled).toEqual([{ by: 'shared', delivery: { ...message, topic: TOPIC, attempt: 1 } }]);
    await app.close();
  });

  it('waits for the observable of a method', async () => {
    const { app } = await serve(Listener);
    await app.listen();
    await publish(`${TOPIC}.all`, null);
    await eventually(() => handled.length === 1);
    expect(handled[0]?.by).toBe('each');
    await app.close();
  });

  it('joins the groups of the patterns', async () => {
    const { app } = await serve(Listener);
    await app.listen();
    const other = await bus.consume({
      topic: TOPIC,
      group: SHARED,
      handle: () => Promise.resolve(),
    });
    const tenth = async () => {
      for (let n = 0; n < 10; n += 1) await publish(TOPIC, n);
    };
    await tenth();
    await eventually(() => handled.length > 0);
    await sleep(20);
    // Two members share the messages, and each message is delivered once.
    expect(new Set(handled.map(({ delivery }) => delivery.id)).size).toBe(handled.length);
    await other.close();
    await app.close();
  });

  it('repeats a rejected delivery, then makes it a dead letter with its reason', async () => {
    const { app } = await serve(Listener);
    await app.listen();
    failures = 3;
    const message = await publish(TOPIC, null);
    await eventually(async () => (await bus.deadLetters(TOPIC, SHARED)).length === 1);
    expect(handled.map(({ delivery }) => delivery.attempt)).toEqual([1, 2]);
    expect(await bus.deadLetters(TOPIC, SHARED)).toMatchObject([
      { id: message.id, reason: 'out of paper', attempts: 2 },
    ]);
    await app.close();
  });

  it('joins as soon as the broker answers', async () => {
    const consume = bus.consume.bind(bus);
    let outages = 2;
    bus.consume = (options) => {
      outages -= 1;
      return outages < 0
        ? consume(options)
        : Promise.reject(new BusError('bus-unavailable', 'no broker'));
    };
    const { app } = await serve(Listener);
    await app.listen();
    await publish(TOPIC, null);
    await eventually(() => handled.length === 1);
    await app.close();
  });

  it('takes no delivery after its close', async () => {
    const { app, server } = await serve(Listener);
    await app.listen();
    await server.close();
    await publish(TOPIC, null);
    await sleep(20);
    expect(handled).toEqual([]);
    await app.close();
  });

  it.each([
    [Answering, /@MessagePattern is not served/],
    [Ungrouped, /the pattern has no group/],
  ])('rejects an unsupported pattern: %p', async (controller, message) => {
    const { app } = await serve(controller);
    await expect(app.listen()).rejects.toThrow(message);
    await app.close();
  });
});
