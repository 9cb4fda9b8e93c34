import { batchesSuite } from './batches.suite.js';

batchesSuite('batches on the embedded default');
