import { describe } from '@jest/globals';
import { understandsAddresses } from './addresses.fixture.js';
import { survivesFaults } from './faults.contract.js';
import { servedContract } from './served.contract.js';

servedContract('kurrentdb', '@kurrent/kurrentdb-client');

describe('faults, through @kurrent/kurrentdb-client', () => survivesFaults('kurrentdb'));

describe('addresses, for @kurrent/kurrentdb-client', () => understandsAddresses('kurrentdb'));
