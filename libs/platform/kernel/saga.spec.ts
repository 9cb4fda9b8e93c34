import { describe, expect, it } from '@jest/globals';
import { type Saga } from './saga.js';
import { sagaSpecOf } from './saga.fixture.js';

type DoorEvent =
  | { readonly type: 'DoorOpened'; readonly data: { readonly door: string; readonly at: string } }
  | { readonly type: 'DoorShut'; readonly data: { readonly door: string } };

const opened = (door: string): DoorEvent => ({
  type: 'DoorOpened',
  data: { door, at: '2026-01-01T00:00:00.000Z' },
});
const shut = (door: string): DoorEvent => ({ type: 'DoorShut', data: { door } });

interface Ring {
  readonly type: 'Ring';
  readonly data: { readonly door: string };
}

type DoorData<Type extends DoorEvent['type']> = Extract<DoorEvent, { type: Type }>['data'];

const DoorOpened = {
  type: 'DoorOpened',
  of: (data: DoorData<'DoorOpened'>) => ({ type: 'DoorOpened' as const, data }),
} as const;
const DoorShut = {
  type: 'DoorShut',
  of: (data: DoorData<'DoorShut'>) => ({ type: 'DoorShut' as const, data }),
} as const;

const alarm: Saga<DoorEvent, { readonly opened: number }, Ring> = {
  name: 'alarm',
  on: { DoorOpened, DoorShut },
  key: ({ data }) => data.door,
  initialState: { opened: 0 },
  evolve: (state, { type }) => (type === 'DoorShut' ? null : { opened: state.opened + 1 }),
  react: ({ type, data }, state) => {
    if (type === 'DoorShut') return [{ kind: 'cancel', timer: 'alarm' }];
    if (state.opened > 0) return [];
    const { door, at: dueAt } = data;
    const command = { type: 'Ring', data: { door } } as const;
    return [{ kind: 'schedule', timer: 'alarm', dueAt, command }];
  },
};

const door = sagaSpecOf(alarm);

describe('the spec of a saga', () => {
  it('checks the actions of an event', () => {
    door
      .given()
      .when(opened('front'))
      .then({
        kind: 'schedule',
        timer: 'alarm',
        dueAt: '2026-01-01T00:00:00.000Z',
        command: { type: 'Ring', data: { door: 'front' } },
      });
    door.given(opened('front')).when(opened('front')).thenNothing();
    door.given(opened('front')).when(opened('front')).thenHolds({ opened: 2 });
    door.given(opened('front')).when(shut('front')).then({ kind: 'cancel', timer: 'alarm' });
  });

  it('starts from the initial state after a process has ended', () => {
    door.given(opened('front')).when(shut('front')).thenEnds();
    door.given(opened('front'), shut('front')).when(opened('front')).thenHolds({ opened: 1 });
  });

  it('fails where the saga differs', () => {
    const again = door.given(opened('front')).when(opened('front'));
    expect(() => again.then({ kind: 'cancel', timer: 'alarm' })).toThrow();
    expect(() => again.thenEnds()).toThrow();
    expect(() => door.given().when(opened('front')).thenNothing()).toThrow();
  });

  it('accepts only the events of one process', () => {
    expect(() => door.given(opened('front')).when(shut('back'))).toThrow();
    const other = { type: 'DoorPainted', data: { door: 'front' } } as unknown as DoorEvent;
    expect(() => door.given().when(other)).toThrow();
  });
});
