import { describe } from '@jest/globals';
import { understandsAddresses } from './addresses.specification.js';
import { survivesFaults } from './faults.specification.js';
import { servedContract } from './served-contract.specification.js';

servedContract('esdb', '@eventstore/db-client');

describe('faults, through @eventstore/db-client', () => survivesFaults('esdb'));

describe('addresses, for @eventstore/db-client', () => understandsAddresses('esdb'));
