import { Inject, Injectable } from '@nestjs/common';
import { type CryptoNetwork } from '#events/payments/crypto.vocabulary.js';
import { type Clock } from '#platform/kernel/clock.js';
import { CLOCK } from '#platform/runtime/tokens.js';
import {
  NETWORK_VARIABLES,
  PAYMENTS_SETTINGS,
  type PaymentsSettings,
} from '../payments.settings.js';
import { reject } from '../payments.errors.js';
import { type ChainWatcher } from './chain-watcher.port.js';
import { type NodeAddress } from './node-address.js';

/** The chains that the settings name, each opened when it is first looked at. */
@Injectable()
export class ChainWatchers {
  readonly #opened = new Map<CryptoNetwork, Promise<ChainWatcher>>();

  constructor(
    @Inject(PAYMENTS_SETTINGS) private readonly settings: Pick<PaymentsSettings, 'nodes'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  isConfigured(network: CryptoNetwork): boolean {
    return this.settings.nodes[network] !== undefined;
  }

  /** @throws DomainError `crypto_not_configured` */
  of(network: CryptoNetwork): Promise<ChainWatcher> {
    const known = this.#opened.get(network);
    if (known) return known;
    const address = this.settings.nodes[network];
    if (!address) {
      const { node } = NETWORK_VARIABLES[network];
      return reject('crypto_not_configured', `nothing watches ${network}: ${node} is not set`);
    }
    const opened = openWatcher(address, this.clock);
    this.#opened.set(network, opened);
    return opened;
  }
}

/** Loads the adapter. */
const openWatcher = async (address: NodeAddress, clock: Clock): Promise<ChainWatcher> => {
  switch (address.kind) {
    case 'simulated': {
      const { openSimulatedChain, SimulatedWatcher } =
        await import('./simulated/simulated-watcher.js');
      return new SimulatedWatcher(() => openSimulatedChain(address.file, () => clock.now()));
    }
    case 'esplora': {
      const { EsploraWatcher } = await import('./esplora/esplora-watcher.js');
      return new EsploraWatcher(address.url);
    }
    case 'bitcoind': {
      const { BitcoindWatcher } = await import('./bitcoind/bitcoind-watcher.js');
      return new BitcoindWatcher(address.url);
    }
    case 'evm': {
      const { EvmWatcher } = await import('./evm/evm-watcher.js');
      return new EvmWatcher(address.url);
    }
    case 'solana': {
      const { SolanaWatcher } = await import('./solana/solana-watcher.js');
      return new SolanaWatcher(address.url);
    }
  }
};
