import { describe, expect, it } from '@jest/globals';
import { type HoldCaptured } from '#events/billing/account.events.js';
import { captured } from '#areas/billing/account.fixture.js';
import { type DataMoved, dataMoved } from './data-moved.projection.js';

const charge = captured([900, 100], 195, 555, 805);
const charged = (data: Partial<HoldCaptured['data']>): HoldCaptured => ({
  ...charge,
  data: { ...charge.data, ...data },
});

const foldOf = (key: string, ...events: readonly HoldCaptured[]): DataMoved =>
  events
    .filter((event) => dataMoved.keys(event).includes(key))
    .reduce<DataMoved>(
      (document, event) => dataMoved.project(event, document, key) ?? document,
      dataMoved.initial(key),
    );

describe('data moved', () => {
  it('is counted for the account and the rig, in the month of the charge', () => {
    expect(dataMoved.keys(charged({ rig: 'local-vllm' }))).toEqual([
      'account/7/2026-11/local-vllm',
      'rig/2026-11/local-vllm',
    ]);
    expect(dataMoved.keys(charged({ rig: null }))).toEqual(['account/7/2026-11/', 'rig/2026-11/']);
  });

  it('sums bytes, and counts answers that were not measured', () => {
    const [rig, key] = ['local-vllm', 'rig/2026-11/local-vllm'];
    const { bytesOut: _, ...unmeasured } = charged({ rig }).data;
    const events = [
      charged({ rig, bytesOut: 100 }),
      charged({ rig, bytesOut: 0, accountId: '8' }),
      { ...charge, data: unmeasured },
      charged({ rig: 'other', bytesOut: 7 }),
    ];
    expect(foldOf(key, ...events)).toEqual({ rig, bytesOut: 100, answers: 3, unmeasured: 1 });
    expect(foldOf('account/7/2026-11/local-vllm', ...events)).toEqual({
      rig,
      bytesOut: 100,
      answers: 2,
      unmeasured: 1,
    });
  });

  it('has no rig where none did all of the work', () => {
    expect(dataMoved.initial('account/7/2026-11/')).toMatchObject({ rig: null });
  });
});
