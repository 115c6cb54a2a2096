import { type Id, parseId } from '../bytes/id.ts';
import { type GenesisConfig, parseGenesisConfig, recentStartTime, validateGenesisConfig } from './avalanchego-json.ts';
import { type AvmGenesis, parseAvmGenesis } from './avm-genesis.ts';
import { blockchainId, cChain, xChain } from './blockchain-id.ts';
import { type EvmAccounts, evmAccounts } from './evm-accounts.ts';
import { buildPlatformGenesis, platformBlockId } from './platform-genesis.ts';
import { buildXGenesis } from './x-genesis.ts';

/** Where a network begins: the X-Chain in full, P and C by their names. */
export type NetworkGenesis = {
  readonly x: { readonly blockchainID: Id; readonly genesis: AvmGenesis };
  /** Block 0 of each; the EVM's is undefined for a C-Chain genesis that is not a standard network's, which Serac cannot execute. */
  readonly p: { readonly genesisBlockID: Id; readonly startTime: bigint };
  readonly c: {
    readonly blockchainID: Id;
    readonly genesisBlockID: Id | undefined;
    /** 0 if the genesis text does not say. */
    readonly evmChainID: number;
    /** What the C-Chain's genesis allocates; undefined if it cannot be read. */
    readonly accounts: EvmAccounts | undefined;
  };
};

export type DataFile = 'local.json' | 'fuji.bin' | 'mainnet.bin';

/** `readData` reads a file of `genesis/data`. */
export type GenesisEnv = { readonly readData: (file: DataFile) => Uint8Array; readonly unixSeconds: bigint };

/** `json` is AvalancheGo's genesis JSON for a custom network; without it the network has its own, and an unknown one has local's. */
export function networkGenesis(
  network: { readonly id: number; readonly hrp: string },
  json: string | undefined,
  env: GenesisEnv,
): NetworkGenesis {
  if (json !== undefined) {
    const config = parseGenesisConfig(json);
    validateGenesisConfig(config, network, env.unixSeconds);
    return fromConfig(config, cGenesisBlockOf(config, env));
  }
  const known = publicNetworks[network.id];
  if (known === undefined) {
    const local = localConfig(env);
    return fromConfig(
      { ...local, networkID: network.id, startTime: recentStartTime(local.startTime, env.unixSeconds) },
      localCGenesisBlock,
    );
  }
  const bytes = env.readData(known.file);
  return { x: { blockchainID: blockchainId(network.id, xChain(bytes)), genesis: parseAvmGenesis(bytes) }, p: known.p, c: known.c };
}

/** The C-Chain of the public networks began with one contract, which holds nothing. */
const noAccounts: EvmAccounts = new Map();

/** What AvalancheGo v1.14.2 makes of the genesis of the public networks (genesis.FromConfig; coreth's core.Genesis for the EVM). */
const publicNetworks: { readonly [id: number]: { readonly file: DataFile } & Pick<NetworkGenesis, 'p' | 'c'> } = {
  1: {
    file: 'mainnet.bin',
    p: { genesisBlockID: parseId('2FUFPVPxbTpKNn39moGSzsmGroYES4NZRdw3mJgNvMkMiMHJ9e'), startTime: 1_599_696_000n },
    c: {
      blockchainID: parseId('2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'),
      genesisBlockID: parseId('NwH5W45Ho9TgNwPbsmX8hQqwmshaks3issR1Nza8ULNdyYsGE'),
      accounts: noAccounts,
      evmChainID: 43_114,
    },
  },
  5: {
    file: 'fuji.bin',
    p: { genesisBlockID: parseId('99BWrAqUMvTp9nXKXyjPsCqjGwDqVFqssTRQbu58af57Cf9VG'), startTime: 1_599_696_000n },
    c: {
      blockchainID: parseId('yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'),
      genesisBlockID: parseId('NwH5W45Ho9TgNwPbsmX8hQqwmshaks3issR1Nza8ULNdyYsGE'),
      accounts: noAccounts,
      evmChainID: 43_113,
    },
  },
};

const localCGenesisBlock = parseId('jXM4J36kLkSjgg1XgdrSPGtqAHxwok4NdcSx8j1hCmGUna9Ac');

function fromConfig(config: GenesisConfig, cGenesisBlockID: Id | undefined): NetworkGenesis {
  const bytes = buildXGenesis(config);
  const genesis = parseAvmGenesis(bytes);
  const chains = [xChain(bytes), cChain(config.cChainGenesis)] as const;
  const [xID, cID] = [blockchainId(config.networkID, chains[0]), blockchainId(config.networkID, chains[1])];
  return {
    x: { blockchainID: xID, genesis },
    p: { genesisBlockID: platformBlockId(buildPlatformGenesis(config, genesis.assets[0].tx.id, chains)), startTime: config.startTime },
    c: {
      blockchainID: cID,
      genesisBlockID: cGenesisBlockID,
      evmChainID: evmChainIdIn(config.cChainGenesis),
      accounts: evmAccounts(config.cChainGenesis),
    },
  };
}

/** AvalancheGo hands the text to the EVM as it is, so anything may stand there. */
function evmChainIdIn(cChainGenesis: string): number {
  try {
    const id: unknown = JSON.parse(cChainGenesis)?.config?.chainId;
    return Number.isSafeInteger(id) && (id as number) > 0 ? (id as number) : 0;
  } catch {
    return 0;
  }
}

/** The EVM's block 0 depends on nothing but its genesis text and the upgrade times, which custom networks share with local. */
const cGenesisBlockOf = (config: GenesisConfig, env: GenesisEnv): Id | undefined =>
  config.cChainGenesis === localConfig(env).cChainGenesis ? localCGenesisBlock : undefined;

const localConfig = (env: GenesisEnv): GenesisConfig => parseGenesisConfig(Buffer.from(env.readData('local.json')).toString('utf8'));
