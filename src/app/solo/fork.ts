import { apiError } from '../../api/rest/api-error.ts';
import type { ServedChain } from '../../api/rest/served-chains.ts';
import type { AddressFormat } from '../../api/rpc/address-format.ts';
import type { Address } from '../../base/bytes/address.ts';
import { idText, parseId } from '../../base/bytes/id.ts';
import { Fault, messageOf } from '../../base/fault.ts';
import { stripCredentials } from '../../base/log/log.ts';
import { checkNodeIdentity } from '../../chain/follow/node-identity.ts';
import { connectRemote, type Remote } from '../../chain/follow/remote.ts';
import { withRetries } from '../../chain/follow/retrying-remote.ts';
import { fetchTransport } from '../../chain/follow/transport.ts';
import { ForkError } from '../../chain/fork/fault.ts';
import { createFork, type Fork, type ForkCopy, type ForkLedger } from '../../chain/fork/fork.ts';
import { openPastOutputs } from '../../chain/fork/past-outputs.ts';
import { getChainNumber } from '../../ledger/state/chain-number.ts';
import { openForkedAddresses } from '../../ledger/state/forked-addresses.ts';
import { readStoredNetworkID } from '../../ledger/store/stored-network.ts';
import type { NetworkConfig, StorageConfig } from '../config/config.ts';
import { createChainAddressFormat } from '../node/chain-services.ts';
import { dataFilesIn } from '../node/data-files.ts';
import { type Fetches, type FetchParams, parseValid } from '../node/fetch-first.ts';
import type { NetworkContext } from '../node/network-context.ts';
import type { OpenedChain, RevertibleStore } from '../node/node-store.ts';
import type { Env, NetworkEnv, TimeEnv } from '../platform/env.ts';

/** A fork of the X-Chain of a live node, and what its parts need. */
export type RunningFork = Fork & {
  /**
   * Fetches the accounts and the addresses of `--fork-address`. They are stored by `addFirst` before the accounts are funded, so that a new
   * chain has them from block 0 on. An account with too many outputs is not copied.
   */
  readonly fetchFirst: (accounts: readonly Address[], addresses: readonly string[]) => Promise<void>;
  readonly addFirst: () => void;
  /** Counts the copies since the start: facts that became known after the blocks they belong to were indexed. */
  readonly revision: () => number;
  /** Aborts pending requests. */
  readonly stop: () => void;
};

/** Connects to the node of `--fork-url`; throws if it does not answer or has another network, chain or block 0. */
export async function openFork(
  { url, height }: Pick<NonNullable<NetworkConfig['fork']>, 'url' | 'height'>,
  env: Env,
  context: NetworkContext,
  store: RevertibleStore,
  opened: OpenedChain,
): Promise<RunningFork> {
  const [x] = context.specs;
  const { network } = context.chain;
  const abort = new AbortController();
  const remote = connectForkedNode(url, env, network.hrp, abort.signal);
  const shown = stripCredentials(url);
  try {
    await checkNodeIdentity(remote, { networkID: network.id, chainID: x.id, firstBlockID: x.genesisBlock.id });
  } catch (error) {
    throw startError(shown, error);
  }
  const { format, parse } = createChainAddressFormat(x.id, context.chain);
  const past = {
    url,
    shownUrl: shown,
    transport: fetchTransport(env.fetch),
    remote,
    chainID: idText(x.id),
    formatAddress: format,
    signal: abort.signal,
  };
  const listPast = height === undefined ? undefined : await openPastOutputs(past, height);
  const { state, index } = opened;
  const addresses = openForkedAddresses(store.store.db, getChainNumber(store.store, x.id));
  let revision = 0;
  const ledger: ForkLedger = {
    hasAddress: addresses.has,
    hasOutput: (ref) => state.utxo(ref) !== undefined || state.wasConsumed(ref),
    hasAsset: (id) => state.asset(id) !== undefined,
    add: ({ address, utxos, assets }) => {
      const onAdded = (): void => {
        if (address !== undefined) addresses.add(address);
      };
      state.addForked({ utxos, assets }, onAdded, index?.indexPreLinearizationUtxos);
      revision++;
    },
  };
  const fork = createFork({ remote: { ...remote, url: shown }, listPast, formatAddress: format, now: env.clock.monotonic, ledger });
  /** Kept in memory, because `dev.reset` needs them again. */
  const first: ForkCopy[] = [];
  return {
    ...fork,
    fetchFirst: async (accounts, texts) => {
      first.push(...(await fetchFirstCopies(fork, accounts, texts.map(parse), env.log)));
    },
    addFirst: () => {
      for (const copy of first) if (copy.address !== undefined && !addresses.has(copy.address)) ledger.add(copy);
    },
    revision: () => revision,
    stop: () => {
      abort.abort();
      remote.close();
    },
  };
}

/** Fetches the outputs of the requested addresses and of the accounts. An account with too many outputs is empty, with a warning; a requested address throws. */
export async function fetchFirstCopies(
  fork: Pick<Fork, 'fetchAddress'>,
  accounts: readonly Address[],
  requested: readonly Address[],
  log: Env['log'],
): Promise<ForkCopy[]> {
  const fetchAccount = (address: Address): Promise<ForkCopy> =>
    fork.fetchAddress(address).catch((error: unknown) => {
      if (!(error instanceof ForkError) || error.fault.code !== 'FORK_ADDRESS_TOO_LARGE') throw error;
      log(error.message, 'warn');
      return { address, utxos: [], assets: [] };
    });
  const copies: ForkCopy[] = [];
  for (const address of requested) copies.push(await fork.fetchAddress(address));
  for (const address of accounts) if (!requested.includes(address)) copies.push(await fetchAccount(address));
  return copies;
}

/** Returns the network ID of the data directory if it has one, else that of the forked node. */
export async function resolveForkedNetwork(url: string, { store, dataDir }: StorageConfig, env: Env): Promise<number> {
  const stored =
    store === 'sqlite' && dataDir !== undefined ? readStoredNetworkID(env.openDatabase, dataFilesIn(dataDir).database) : undefined;
  if (stored !== undefined) return stored;
  try {
    return await connectForkedNode(url, env, '', new AbortController().signal).networkID();
  } catch (error) {
    throw startError(stripCredentials(url), error);
  }
}

/** The methods that read outputs of addresses, or an asset, copy them first. */
export function fetchesOfFork({ copyAddresses, copyAsset }: Fork, { parse }: AddressFormat): Fetches {
  const copyOwner = ({ address = '' }: FetchParams) => copyAddresses(parseValid(parse, [address]));
  return {
    'avm.getUTXOs': ({ addresses = [] }) => copyAddresses(parseValid(parse, addresses)),
    'avm.getBalance': copyOwner,
    'avm.getAllBalances': copyOwner,
    'avm.getAssetDescription': ({ assetID = '' }) => {
      const [id] = parseValid(parseId, [assetID]);
      return id === undefined ? undefined : copyAsset(id);
    },
  };
}

/** The same for the Data API, whose error is an `ApiError` with status 503. */
export const backfillFromFork =
  ({ copyAddresses }: Fork): NonNullable<ServedChain['backfillAddresses']> =>
  async (addresses) => {
    try {
      await copyAddresses(addresses);
      return 'complete';
    } catch (error) {
      throw error instanceof ForkError ? apiError(503, error.message) : error;
    }
  };

function connectForkedNode(url: string, env: NetworkEnv & TimeEnv, hrp: string, signal: AbortSignal): Remote {
  const timing = {
    now: env.clock.monotonic,
    unix: env.clock.unixSeconds,
    after: env.timers.after,
    soon: env.timers.soon,
    random: () => Buffer.from(env.random(4)).readUInt32BE() / 2 ** 32,
  };
  return withRetries(connectRemote(url, { hrp, transport: fetchTransport(env.fetch), timing }), { timing, signal });
}

function startError(url: string, error: unknown): unknown {
  if (!(error instanceof Fault)) return error;
  const remedy =
    error.fault.code === 'FOLLOW_OTHER_NETWORK' || error.fault.code === 'FOLLOW_BLOCK_CHANGED'
      ? 'choose its network with --network-id, and for a custom network give its genesis with --genesis-file'
      : 'start it, or give another URL with --fork-url';
  const why = messageOf(error).replaceAll('the followed node', 'the node');
  return new ForkError(`cannot fork ${url}: ${why}; ${remedy}`, { code: 'FORK_SOURCE_FAILED', url, why });
}
