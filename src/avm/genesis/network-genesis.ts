import { type Id, parseId } from '../../base/bytes/id.ts';
import { type GenesisConfig, parseGenesisConfig, recentStartTime, validateGenesisConfig } from './avalanchego-json.ts';
import { type AvmGenesis, parseAvmGenesis } from './avm-genesis.ts';
import { blockchainId, cChainDefinition, xChainDefinition } from './blockchain-id.ts';
import { type GenesisAccounts, parseEvmAccounts } from './evm-accounts.ts';
import { buildPlatformGenesis, type GenesisValidator, listGenesisValidators, platformBlockId } from './platform-genesis.ts';
import { buildXGenesis } from './x-genesis.ts';

/** Genesis of a network: the X-Chain's in full, of P-Chain and C-Chain only the IDs. */
export type NetworkGenesis = {
  readonly x: { readonly blockchainID: Id; readonly genesis: AvmGenesis };
  /** ID of block 0. The C-Chain's is undefined for a custom C-Chain genesis, because Serac does not run the EVM. */
  readonly p: {
    readonly genesisBlockID: Id;
    readonly startTime: bigint;
    /** The validators at height 0; none for the public networks, whose stakers are not stored here. */
    readonly validators: () => readonly GenesisValidator[];
  };
  readonly c: {
    readonly blockchainID: Id;
    readonly genesisBlockID: Id | undefined;
    /** 0 if the genesis has none. */
    readonly evmChainID: number;
    /** Accounts of the C-Chain genesis; undefined if it cannot be read. */
    readonly accounts: GenesisAccounts | undefined;
  };
};

export type GenesisDataFile = 'local.json' | 'fuji.bin' | 'mainnet.bin';

/** `readData` reads a file of `src/avm/genesis/data`. */
export type GenesisEnv = { readonly readData: (file: GenesisDataFile) => Uint8Array; readonly unixSeconds: bigint };

/** `json` is the genesis file of a custom network, in AvalancheGo's format. Without it, public networks have their own genesis and all others that of `local`. */
export function loadNetworkGenesis(
  network: { readonly id: number; readonly hrp: string },
  json: string | undefined,
  env: GenesisEnv,
): NetworkGenesis {
  if (json !== undefined) {
    const config = parseGenesisConfig(json);
    validateGenesisConfig(config, network, env.unixSeconds);
    return genesisFromConfig(config, cGenesisBlockOf(config, env));
  }
  const publicNetwork = publicNetworks[network.id];
  if (publicNetwork === undefined) {
    const local = localConfig(env);
    return genesisFromConfig(
      { ...local, networkID: network.id, startTime: recentStartTime(local.startTime, env.unixSeconds) },
      localCGenesisBlock,
    );
  }
  const bytes = env.readData(publicNetwork.file);
  return {
    x: { blockchainID: blockchainId(network.id, xChainDefinition(bytes)), genesis: parseAvmGenesis(bytes) },
    p: publicNetwork.p,
    c: publicNetwork.c,
  };
}

/** The C-Chain genesis of the public networks has one contract, with balance 0. */
const noAccounts: GenesisAccounts = new Map();
const noValidators = (): readonly GenesisValidator[] => [];

/** IDs of the public networks, computed with AvalancheGo v1.14.2 (genesis.FromConfig; coreth's core.Genesis for the EVM). */
const publicNetworks: { readonly [id: number]: { readonly file: GenesisDataFile } & Pick<NetworkGenesis, 'p' | 'c'> } = {
  1: {
    file: 'mainnet.bin',
    p: {
      genesisBlockID: parseId('2FUFPVPxbTpKNn39moGSzsmGroYES4NZRdw3mJgNvMkMiMHJ9e'),
      startTime: 1_599_696_000n,
      validators: noValidators,
    },
    c: {
      blockchainID: parseId('2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5'),
      genesisBlockID: parseId('NwH5W45Ho9TgNwPbsmX8hQqwmshaks3issR1Nza8ULNdyYsGE'),
      accounts: noAccounts,
      evmChainID: 43_114,
    },
  },
  5: {
    file: 'fuji.bin',
    p: {
      genesisBlockID: parseId('99BWrAqUMvTp9nXKXyjPsCqjGwDqVFqssTRQbu58af57Cf9VG'),
      startTime: 1_599_696_000n,
      validators: noValidators,
    },
    c: {
      blockchainID: parseId('yH8D7ThNJkxmtkuv2jgBa4P1Rn3Qpr4pPr7QYNfcdoS6k6HWp'),
      genesisBlockID: parseId('NwH5W45Ho9TgNwPbsmX8hQqwmshaks3issR1Nza8ULNdyYsGE'),
      accounts: noAccounts,
      evmChainID: 43_113,
    },
  },
};

const localCGenesisBlock = parseId('jXM4J36kLkSjgg1XgdrSPGtqAHxwok4NdcSx8j1hCmGUna9Ac');

function genesisFromConfig(config: GenesisConfig, cGenesisBlockID: Id | undefined): NetworkGenesis {
  const bytes = buildXGenesis(config);
  const genesis = parseAvmGenesis(bytes);
  const chains = [xChainDefinition(bytes), cChainDefinition(config.cChainGenesis)] as const;
  const [xID, cID] = [blockchainId(config.networkID, chains[0]), blockchainId(config.networkID, chains[1])];
  return {
    x: { blockchainID: xID, genesis },
    p: {
      genesisBlockID: platformBlockId(buildPlatformGenesis(config, genesis.assets[0].tx.id, chains)),
      startTime: config.startTime,
      validators: () => listGenesisValidators(config),
    },
    c: {
      blockchainID: cID,
      genesisBlockID: cGenesisBlockID,
      evmChainID: parseEvmChainId(config.cChainGenesis),
      accounts: parseEvmAccounts(config.cChainGenesis),
    },
  };
}

/** Returns 0 if there is no chain ID. AvalancheGo does not check this text either; it only passes it to the EVM. */
function parseEvmChainId(cChainGenesis: string): number {
  try {
    const id: unknown = JSON.parse(cChainGenesis)?.config?.chainId;
    return Number.isSafeInteger(id) && (id as number) > 0 ? (id as number) : 0;
  } catch {
    return 0;
  }
}

/** The EVM's block 0 depends only on its genesis text and the upgrade times, and custom networks have the upgrade times of local. */
const cGenesisBlockOf = (config: GenesisConfig, env: GenesisEnv): Id | undefined =>
  config.cChainGenesis === localConfig(env).cChainGenesis ? localCGenesisBlock : undefined;

const localConfig = (env: GenesisEnv): GenesisConfig => parseGenesisConfig(Buffer.from(env.readData('local.json')).toString('utf8'));
