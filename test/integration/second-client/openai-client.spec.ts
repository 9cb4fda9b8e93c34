import { openaiClientSuite } from '../../end-to-end/openai-client.suite.js';

/** The end-to-end suite uses the first client of each server; this suite uses the second. */
openaiClientSuite('Quipu on @kurrent/kurrentdb-client and @platformatic/kafka', {
  clients: 'second',
});
