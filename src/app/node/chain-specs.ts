import { parseChainsFile } from '../../avm/genesis/chains-file.ts';
import { genesisBlock } from '../../avm/genesis/genesis-block.ts';
import { type GenesisEnv, loadNetworkGenesis, type NetworkGenesis } from '../../avm/genesis/network-genesis.ts';
import { zeroId } from '../../base/bytes/id.ts';
import type { Config, NetworkConfig } from '../config/config.ts';
import type { AvmChainSpec } from './running-chain.ts';

type SpecEnv = GenesisEnv & { readonly readText: (path: string) => string };

/** Loads the network's genesis and the AVM chains that this node runs: X first, then those of the chains file. */
export function loadChainSpecs(
  config: Config,
  env: SpecEnv,
): { readonly genesis: NetworkGenesis; readonly specs: readonly [AvmChainSpec, ...AvmChainSpec[]] } {
  const { network } = config;
  const genesis = loadNetworkGenesis(network, readGenesisJson(config, env), env);
  const x: AvmChainSpec = {
    id: genesis.x.blockchainID,
    aliases: ['X', 'avm'],
    genesis: genesis.x.genesis,
    fees: network.fees,
    genesisBlock: genesisBlock(genesis.x.blockchainID, network.upgrades),
  };
  const extraChains = config.chainsFile === undefined ? [] : parseChainsFile(env.readText(config.chainsFile), network);
  const specs = extraChains.map(
    (chain): AvmChainSpec => ({
      id: chain.blockchainID,
      aliases: [chain.alias],
      genesis: chain.genesis,
      fees: chain.fees,
      genesisBlock: genesisBlock(chain.blockchainID, { ...network.upgrades, cortinaXChainStopVertexID: zeroId }),
    }),
  );
  return { genesis, specs: [x, ...specs] };
}

function readGenesisJson({ genesis }: NetworkConfig, env: SpecEnv): string | undefined {
  switch (genesis.kind) {
    case 'network':
      return undefined;
    case 'file':
      return env.readText(genesis.path);
    case 'content':
      return Buffer.from(genesis.base64, 'base64').toString('utf8');
  }
}
