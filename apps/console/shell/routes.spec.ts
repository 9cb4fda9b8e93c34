import { describe, expect, it } from '@jest/globals';
import { type AnswerOf, routeOf } from './routes.js';

describe('the address of a route', () => {
  it('has the fields of its path and of its query', () => {
    expect(routeOf('/api/v1/jobs/{id}', { id: 'a/b' })).toBe('/api/v1/jobs/a%2Fb');
    expect(routeOf('/api/v1/jobs', { state: 'running', after: undefined, type: '' })).toBe(
      '/api/v1/jobs?state=running',
    );
  });

  it('is of the OpenAPI document: the compiler reports other routes and fields', () => {
    const wrong = [
      // @ts-expect-error The document has no such route.
      routeOf('/api/v1/no_jobs'),
      // @ts-expect-error The path needs its field.
      routeOf('/api/v1/jobs/{id}'),
      // @ts-expect-error The query has no such field.
      routeOf('/api/v1/jobs', { colour: 'red' }),
    ];
    expect(wrong).toHaveLength(3);
  });

  it('has the answer of the document', () => {
    const job: Pick<AnswerOf<'/api/v1/jobs/{id}'>['job'], 'state'> = { state: 'running' };
    // @ts-expect-error A job is never in this state.
    job.state = 'asleep';
    expect(job.state).toBe('asleep');
  });
});
