import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JobId } from '#events/jobs/job.events.js';
import {
  type PortBlockEvent,
  PortBlockReleased,
  PortBlockReserved,
} from '#events/rentals/rental.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type PortPoolCommand, portPoolDecider } from './port-pool.decider.js';
import { portPoolSnapshots } from './port-pool.snapshot.js';

const AT = '2026-11-22T10:00:00.000Z';
const idOf = (number: number): JobId =>
  JobId.parse(`019aa7d0-7a3b-7c5d-8e9f-${String(number).padStart(12, '0')}`);

const reserved = (number: number, firstPort: number, rental = number) =>
  PortBlockReserved.of({
    rentalId: idOf(rental),
    accountId: '7',
    number,
    firstPort,
    lastPort: firstPort + 99,
    reservedAt: AT,
  });
const released = (number: number, firstPort: number) =>
  PortBlockReleased.of({
    rentalId: idOf(number),
    number,
    firstPort,
    lastPort: firstPort + 99,
    reason: 'ended',
    releasedAt: AT,
  });
const reserve = (rental: number, first = 20_000, last = 20_299): PortPoolCommand => ({
  type: 'ReservePortBlock',
  data: { rentalId: idOf(rental), accountId: '7', first, last, reservedAt: AT },
});
const release = (rental: number): PortPoolCommand => ({
  type: 'ReleasePortBlock',
  data: { rentalId: idOf(rental), reason: 'ended', releasedAt: AT },
});

const pool = deciderSpecOf(portPoolDecider);

describe('the ports of rentals', () => {
  it('are the lowest free block of a hundred, and a new number', () => {
    pool.given().when(reserve(1)).then(reserved(1, 20_000));
    pool.given(reserved(1, 20_000)).when(reserve(2)).then(reserved(2, 20_100));
    const first = [reserved(1, 20_000), reserved(2, 20_100), released(1, 20_000)];
    pool
      .given(...first)
      .when(reserve(3))
      .then(reserved(3, 20_000));
  });

  it('are reserved once for a rental', () => {
    pool.given(reserved(1, 20_000)).when(reserve(1)).thenNothing();
  });

  it('are refused when every block is rented, also for a part of one', () => {
    const all = [reserved(1, 20_000), reserved(2, 20_100), reserved(3, 20_200)];
    pool
      .given(...all)
      .when(reserve(4))
      .thenThrows('ports_exhausted');
    pool
      .given()
      .when(reserve(1, 20_000, 20_098))
      .thenThrows('ports_exhausted');
  });

  it('never overlap ports of another range of the settings', () => {
    pool.given(reserved(1, 20_050)).when(reserve(2)).then(reserved(2, 20_200));
  });

  it('are released once, and not where there are none', () => {
    pool.given(reserved(1, 20_000)).when(release(1)).then(released(1, 20_000));
    const gone = [reserved(1, 20_000), released(1, 20_000)];
    pool
      .given(...gone)
      .when(release(1))
      .thenNothing();
    pool.given().when(release(9)).thenNothing();
  });

  it('overlap for no two rentals, and no number is used twice, whatever happens', () => {
    const step = fc.record({ rental: fc.integer({ min: 1, max: 6 }), isEnd: fc.boolean() });
    const first = fc.constantFrom(20_000, 20_030, 20_100);
    fc.assert(
      fc.property(fc.array(fc.tuple(step, first), { maxLength: 40 }), (steps) => {
        let state = portPoolDecider.initialState;
        const numbers: number[] = [];
        for (const [{ rental, isEnd }, from] of steps) {
          const command = isEnd ? release(rental) : reserve(rental, from, from + 399);
          let events: readonly PortBlockEvent[] = [];
          try {
            events = portPoolDecider.decide(command, state);
          } catch {
            // Every block is rented.
          }
          state = events.reduce(portPoolDecider.evolve, state);
          for (const { type, data } of events) {
            if (type === 'PortBlockReserved') numbers.push(data.number);
          }
          const ports = [...state.blocks.values()].flatMap(({ firstPort }) =>
            Array.from({ length: 100 }, (_, index) => firstPort + index),
          );
          expect(new Set(ports).size).toBe(ports.length);
        }
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      }),
    );
  });

  it('are the same after a snapshot', () => {
    const events = [reserved(1, 20_000), reserved(2, 20_100), released(1, 20_000)];
    const { initialState, evolve } = portPoolDecider;
    const state = events.reduce<typeof initialState>(evolve, initialState);
    const json = JSON.parse(JSON.stringify(portPoolSnapshots.toJson(state))) as object;
    const revived = portPoolSnapshots.fromJson(json);
    expect(revived.lastNumber).toBe(2);
    expect([...revived.blocks]).toEqual([...state.blocks]);
  });
});
