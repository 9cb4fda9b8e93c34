import { describe, expect, it } from '@jest/globals';
import { drawRequestId, timeOfRequest } from './request-id.js';

const NOW_MS = Date.parse('2026-11-22T14:03:00.123Z');

describe('the id of a request', () => {
  it('is a UUID of version 7 with its time', () => {
    const id = drawRequestId(NOW_MS);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOfRequest(id)).toBe(NOW_MS);
  });

  it('has the time of the example of RFC 9562', () => {
    expect(timeOfRequest('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')).toBe(
      Date.parse('2022-02-22T19:22:22.000Z'),
    );
  });

  it('is never the same', () => {
    const ids = new Set(Array.from({ length: 1_000 }, () => drawRequestId(NOW_MS)));
    expect(ids.size).toBe(1_000);
  });

  it('has no time in another version', () => {
    expect(timeOfRequest('01890a5d-ac96-474b-bcce-b302099a8057')).toBeUndefined();
  });
});
