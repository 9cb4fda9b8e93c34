import { openaiClientSuite } from '../end-to-end/openai-client.suite.js';

/** The end-to-end suite runs on the first client of each server; this is the way by the others. */
openaiClientSuite('Quipu on @kurrent/kurrentdb-client and @platformatic/kafka', {
  clients: 'second',
});
