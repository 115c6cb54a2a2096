import { zeroId } from '../bytes/id.ts';
import type { Config } from '../config.ts';
import { parseChainsFile } from '../genesis/chains-file.ts';
import { genesisBlock } from '../genesis/genesis-block.ts';
import { type GenesisEnv, type NetworkGenesis, networkGenesis } from '../genesis/network-genesis.ts';
import type { AvmChainSpec } from './avm-chain.ts';

export type SpecEnv = GenesisEnv & { readonly readText: (path: string) => string };

/** Where the network begins, and every chain of the AVM this node runs: X first, then those of the chains file. */
export function chainSpecs(
  config: Config,
  env: SpecEnv,
): { readonly genesis: NetworkGenesis; readonly specs: readonly [AvmChainSpec, ...AvmChainSpec[]] } {
  const { network } = config;
  const genesis = networkGenesis(network, genesisJson(config, env), env);
  const x: AvmChainSpec = {
    id: genesis.x.blockchainID,
    aliases: ['X', 'avm'],
    genesis: genesis.x.genesis,
    fees: network.fees,
    first: genesisBlock(genesis.x.blockchainID, network.cortina, network.upgrades.cortinaXChainStopVertexID),
  };
  const further = config.chainsFile === undefined ? [] : parseChainsFile(env.readText(config.chainsFile), network);
  const specs = further.map(
    (chain): AvmChainSpec => ({
      id: chain.blockchainID,
      aliases: [chain.alias],
      genesis: chain.genesis,
      fees: chain.fees,
      first: genesisBlock(chain.blockchainID, network.cortina, zeroId),
    }),
  );
  return { genesis, specs: [x, ...specs] };
}

function genesisJson({ genesis }: Config, env: SpecEnv): string | undefined {
  switch (genesis.kind) {
    case 'network':
      return undefined;
    case 'file':
      return env.readText(genesis.path);
    case 'content':
      return Buffer.from(genesis.base64, 'base64').toString('utf8');
  }
}
