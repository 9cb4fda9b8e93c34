import { describe } from '@jest/globals';
import { understandsAddresses } from './addresses.specification.js';
import { survivesFaults } from './faults.specification.js';
import { servedContract } from './served-contract.specification.js';

servedContract('kurrentdb', '@kurrent/kurrentdb-client');

describe('faults, through @kurrent/kurrentdb-client', () => survivesFaults('kurrentdb'));

describe('addresses, for @kurrent/kurrentdb-client', () => understandsAddresses('kurrentdb'));
