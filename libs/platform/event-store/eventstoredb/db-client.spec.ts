import { describe } from '@jest/globals';
import { understandsAddresses } from './addresses.fixture.js';
import { survivesFaults } from './faults.contract.js';
import { servedContract } from './served.contract.js';

servedContract('esdb', '@eventstore/db-client');

describe('faults, through @eventstore/db-client', () => survivesFaults('esdb'));

describe('addresses, for @eventstore/db-client', () => understandsAddresses('esdb'));
