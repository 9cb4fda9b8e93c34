import { describe, it } from '@jest/globals';
import { ElementsImported } from '#events/orbit/orbit.events.js';
import { deciderSpecOf } from '#platform/kernel/decider.fixture.js';
import { type ElementsCommand, elementsDecider } from './elements.decider.js';

const elements = deciderSpecOf(elementsDecider);
const OF_AUGUST = {
  satelliteId: 25_544,
  name: 'ISS (ZARYA)',
  epoch: '2025-08-02T23:52:38.879Z',
  elements: {
    format: 'tle' as const,
    line1: '1 25544U 98067A   25214.99489444  .00011799  00000+0  21211-3 0  9991',
    line2: '2 25544  51.6358  75.0680 0002052 141.2455 195.9660 15.50307000522418',
  },
  source: 'CelesTrak',
  importedAt: '2026-11-25T19:00:00.000Z',
};
const OF_JULY = { ...OF_AUGUST, epoch: '2025-07-02T23:52:38.879Z' };
const bring = (data: ElementsImported['data']): ElementsCommand => ({
  type: 'ImportElements',
  data,
});

describe('elements', () => {
  it('are in force once they are imported', () => {
    elements.given().when(bring(OF_JULY)).then(ElementsImported.of(OF_JULY));
  });

  it('give way to newer ones', () => {
    const [july, august] = [OF_JULY, OF_AUGUST].map((data) => ElementsImported.of(data));
    if (!july || !august) throw new Error('two events');
    elements.given(july).when(bring(OF_AUGUST)).then(august);
  });

  it('change nothing where they are older, or the same again', () => {
    const august = ElementsImported.of(OF_AUGUST);
    elements.given(august).when(bring(OF_JULY)).thenNothing();
    elements.given(august).when(bring(OF_AUGUST)).thenNothing();
  });
});
