import { fleetSuite } from './fleet.suite.js';

fleetSuite('a fleet on the embedded engines', () =>
  Promise.resolve({ environment: {}, close: () => Promise.resolve() }),
);
