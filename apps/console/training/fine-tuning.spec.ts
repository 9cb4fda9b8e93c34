import { describe, expect, it } from '@jest/globals';
import { lossesOf, type TrainingEvent } from './fine-tuning.js';

const event = (type: TrainingEvent['type'], data: TrainingEvent['data']): TrainingEvent => ({
  id: 'ftevent-1',
  object: 'fine_tuning.job.event',
  level: 'info',
  created_at: 1,
  message: '',
  type,
  data,
});

describe('the loss of a training', () => {
  it('is a line for each loss, in the order of the steps', () => {
    const events = [
      event('metrics', { step: 2, train_loss: 1.5, valid_loss: 2 }),
      event('metrics', { step: 1, train_loss: 3 }),
      event('metrics', { train_loss: 9 }),
      event('message', { step: 3, train_loss: 9 }),
    ];
    expect(lossesOf(events)).toEqual([
      {
        name: 'train loss',
        points: [
          [1, 3],
          [2, 1.5],
        ],
      },
      { name: 'valid loss', points: [[2, 2]] },
    ]);
  });
});
