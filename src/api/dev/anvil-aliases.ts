import { maxReorg } from '../contract/dev-chain-methods.ts';
import { badArgument } from '../rpc/fault.ts';
import type { BoundMethod, Services } from '../rpc/method.ts';
import { type Json, RawJson, writeJson } from '../rpc/write-json.ts';
import { DevError } from './fault.ts';

/** Calls a `dev.*` method by its name without the prefix. Results are objects. */
type CallDev = (
  method: string,
  params: { readonly [name: string]: Json | undefined },
) => Promise<{ readonly [name: string]: Json | undefined }>;

/** What the aliases need beside the `dev.*` methods. */
export type AliasDeps = {
  /** The spendable balance of an address in the fee asset, in nAVAX. */
  readonly balanceOf: (address: string) => bigint;
  /** The state file of all chains. Throws if it has more bytes. */
  readonly dumpState: (maxBytes: number) => Promise<Uint8Array>;
  readonly loadState: (file: Uint8Array) => Promise<void>;
};

/** `lastSnapshot`: the highest ID that `evm_snapshot` has returned; IDs are not used twice. */
type AliasContext = AliasDeps & { lastSnapshot: bigint };

/** An alias: the `dev.*` methods it calls, and how its positional parameters and its result are translated. */
type Alias = {
  readonly targets: readonly string[];
  readonly run: (call: CallDev, params: readonly unknown[], context: AliasContext) => Promise<Json>;
};

const mine: Alias = {
  targets: ['mine'],
  run: async (call, [blocks, interval]) => {
    await call('mine', { blocks: toQuantity('blocks', blocks ?? 1), interval: toQuantity('interval', interval ?? 0) });
    return null;
  },
};

const setAutomine: Alias = {
  targets: ['setAutomine'],
  run: async (call, [enabled]) => {
    await call('setAutomine', { enabled: toBoolean('enabled', enabled) });
    return null;
  },
};

/** In Anvil an interval replaces automine. */
const setIntervalMining: Alias = {
  targets: ['setIntervalMining', 'setAutomine'],
  run: async (call, [seconds]) => {
    await call('setIntervalMining', { seconds: toQuantity('seconds', seconds) });
    await call('setAutomine', { enabled: false });
    return null;
  },
};

const setNextBlockTime: Alias = {
  targets: ['setNextBlockTime'],
  run: async (call, [time]) => {
    await call('setNextBlockTime', { time: toQuantity('timestamp', time) });
    return null;
  },
};

const increaseTime: Alias = {
  targets: ['increaseTime'],
  run: async (call, [seconds]) => Number((await call('increaseTime', { seconds: toQuantity('seconds', seconds) })).offset),
};

/** Ganache takes milliseconds, Anvil seconds; no time before the year 5138 has as many digits in seconds. */
const setTime: Alias = {
  targets: ['setTime', 'getTime'],
  run: async (call, [time]) => {
    const given = toQuantity('timestamp', time);
    const before = BigInt(String((await call('getTime', {})).time));
    const after = BigInt(String((await call('setTime', { time: given >= 100_000_000_000n ? given / 1000n : given })).time));
    return Number(after > before ? after - before : 0n);
  },
};

const impersonate = (method: string): Alias => ({
  targets: [method],
  run: async (call, [address]) => {
    await call(method, { address: toText('address', address) });
    return null;
  },
});

const autoImpersonate: Alias = {
  targets: ['setAutoImpersonate'],
  run: async (call, [enabled]) => {
    await call('setAutoImpersonate', { enabled: toBoolean('enabled', enabled) });
    return null;
  },
};

/** The IDs of `evm_snapshot` are numbers; its snapshots have them as names, in hex. */
const listSnapshotIDs = async (call: CallDev): Promise<bigint[]> => {
  const { snapshots } = (await call('listSnapshots', {})) as { readonly snapshots: readonly { readonly name: string }[] };
  return snapshots.flatMap(({ name }) => (/^0x[0-9a-f]{1,16}$/.test(name) ? [BigInt(name)] : []));
};

const formatQuantity = (value: bigint): string => `0x${value.toString(16)}`;

const snapshot: Alias = {
  targets: ['snapshot', 'listSnapshots'],
  run: async (call, _params, context) => {
    for (const id of await listSnapshotIDs(call)) if (id > context.lastSnapshot) context.lastSnapshot = id;
    const name = formatQuantity(++context.lastSnapshot);
    await call('snapshot', { name });
    return name;
  },
};

/** In Anvil a snapshot can be reverted to once: the revert deletes it and those made after it. */
const revert: Alias = {
  targets: ['revert', 'listSnapshots', 'deleteSnapshot'],
  run: async (call, [given]) => {
    const wanted = toQuantity('snapshot', given);
    const ids = await listSnapshotIDs(call);
    if (!ids.includes(wanted)) return false;
    await call('revert', { name: formatQuantity(wanted) });
    for (const id of ids) if (id >= wanted) await call('deleteSnapshot', { name: formatQuantity(id) });
    return true;
  },
};

/** Outputs cannot be taken away, so the balance can only be raised. */
const setBalance: Alias = {
  targets: ['faucet'],
  run: async (call, [address, amount], { balanceOf }) => {
    const to = toText('address', address);
    const [wanted, balance] = [toQuantity('balance', amount), balanceOf(to)];
    if (balance > wanted)
      throw new DevError(`the balance of ${to} is ${balance} nAVAX already; outputs cannot be taken away from an address`, {
        code: 'DEV_BALANCE_TOO_HIGH',
        balance: String(balance),
        wanted: String(wanted),
      });
    if (wanted > balance) await call('faucet', { to, amount: String(wanted - balance) });
    return null;
  },
};

const dropTransaction: Alias = {
  targets: ['dropTx'],
  run: async (call, [txID]) => (await call('dropTx', { txID: toText('txID', txID) })).txID ?? null,
};

const dropAllTransactions: Alias = {
  targets: ['getMempool', 'dropTx'],
  run: async (call) => {
    // A mempool of small transactions has some hundred pages.
    for (let page = 0; page < 1000; page++) {
      const { txs } = (await call('getMempool', {})) as { readonly txs: readonly { readonly txID: string }[] };
      for (const { txID } of txs) await call('dropTx', { txID });
      if (txs.length === 0) break;
    }
    return null;
  },
};

/** The transactions of the mempool by ID, as far as `dev.getMempool` lists them. */
const listPool = async (call: CallDev): Promise<readonly PooledTx[]> =>
  ((await call('getMempool', {})) as { readonly txs: readonly PooledTx[] }).txs;
type PooledTx = { readonly txID: string; readonly type: string; readonly bytes: number };

/** Geth's methods about the mempool. Transactions have no sender and no nonce here, so they are listed by ID; none is queued behind another. */
const pool = (describe: (tx: PooledTx) => Json): Alias => ({
  targets: ['getMempool'],
  run: async (call) => ({ pending: Object.fromEntries((await listPool(call)).map((tx) => [tx.txID, describe(tx)])), queued: {} }),
});

const poolStatus: Alias = {
  targets: ['getMempool'],
  run: async (call) => ({ pending: formatQuantity(BigInt(Number((await call('getMempool', {})).total))), queued: '0x0' }),
};

/** Anvil takes pairs of a transaction and the number of its block, counted from the first new one. */
const reorg: Alias = {
  targets: ['reorg'],
  run: async (call, [depth, pairs = []]) => {
    const blocks: string[][] = [];
    if (!Array.isArray(pairs)) throw badArgument('pairs', 'list');
    for (const pair of pairs as readonly unknown[]) {
      const [tx, offset] = Array.isArray(pair) ? (pair as readonly unknown[]) : [];
      const block = Number(toQuantity('block', offset));
      if (block >= maxReorg) throw badArgument('block', `number below ${maxReorg}`);
      while (blocks.length <= block) blocks.push([]);
      blocks[block]?.push(toText('transaction', tx));
    }
    await call('reorg', { depth: toQuantity('depth', depth), blocks });
    return null;
  },
};

const nodeInfo: Alias = {
  targets: ['nodeInfo'],
  run: async (call) => {
    const info = await call('nodeInfo', {});
    return {
      ...info,
      currentBlockNumber: Number(info.height),
      currentBlockTimestamp: Number(info.blockTime),
      currentBlockHash: info.blockID,
    };
  },
};

const reset: Alias = {
  targets: ['reset'],
  run: async (call) => {
    await call('reset', {});
    return null;
  },
};

/** The largest state file in a call, in bytes: its hex must fit in a request body. */
const maxStateFile = 500_000;

const dumpState: Alias = {
  targets: [],
  run: async (_call, _params, { dumpState }) => `0x${Buffer.from(await dumpState(maxStateFile)).toString('hex')}`,
};

const loadState: Alias = {
  targets: [],
  run: async (_call, [state], { loadState }) => {
    const text = toText('state', state);
    if (!/^0x(?:[0-9a-f]{2})+$/i.test(text)) throw badArgument('state', 'hex');
    await loadState(Buffer.from(text.slice(2), 'hex'));
    return true;
  },
};

/** The names of Anvil, Hardhat and Ganache. An alias exists if all its targets do. */
const anvilAliases: { readonly [name: string]: Alias } = {
  evm_snapshot: snapshot,
  anvil_snapshot: snapshot,
  evm_revert: revert,
  anvil_revert: revert,
  evm_mine: {
    targets: ['mine', 'setNextBlockTime'],
    run: async (call, [options]) => {
      const { timestamp, blocks } = isRecord(options) ? options : { timestamp: options, blocks: undefined };
      if (timestamp !== undefined && timestamp !== null) await call('setNextBlockTime', { time: toQuantity('timestamp', timestamp) });
      await call('mine', { blocks: toQuantity('blocks', blocks ?? 1) });
      return '0x0';
    },
  },
  anvil_mine: mine,
  hardhat_mine: mine,
  evm_increaseTime: increaseTime,
  anvil_increaseTime: increaseTime,
  evm_setNextBlockTimestamp: setNextBlockTime,
  anvil_setNextBlockTimestamp: setNextBlockTime,
  evm_setTime: setTime,
  anvil_setTime: setTime,
  evm_setAutomine: setAutomine,
  anvil_setAutomine: setAutomine,
  anvil_getAutomine: { targets: ['nodeInfo'], run: async (call) => (await call('nodeInfo', {})).automine ?? null },
  evm_setIntervalMining: setIntervalMining,
  anvil_setIntervalMining: setIntervalMining,
  anvil_getIntervalMining: {
    targets: ['nodeInfo'],
    run: async (call) => {
      const { interval } = await call('nodeInfo', {});
      return interval === 0 ? null : (interval ?? null);
    },
  },
  anvil_setBalance: setBalance,
  hardhat_setBalance: setBalance,
  anvil_impersonateAccount: impersonate('impersonate'),
  hardhat_impersonateAccount: impersonate('impersonate'),
  anvil_stopImpersonatingAccount: impersonate('stopImpersonating'),
  hardhat_stopImpersonatingAccount: impersonate('stopImpersonating'),
  anvil_autoImpersonateAccount: autoImpersonate,
  anvil_dropTransaction: dropTransaction,
  hardhat_dropTransaction: dropTransaction,
  anvil_dropAllTransactions: dropAllTransactions,
  anvil_reorg: reorg,
  txpool_status: poolStatus,
  txpool_content: pool(({ txID, type, bytes }) => ({ txID, type, bytes })),
  txpool_inspect: pool(({ type, bytes }) => `${type}, ${bytes} bytes`),
  anvil_nodeInfo: nodeInfo,
  hardhat_metadata: nodeInfo,
  anvil_reset: reset,
  hardhat_reset: reset,
  anvil_dumpState: dumpState,
  anvil_loadState: loadState,
};

/** Adds the aliases to the `dev.*` methods. */
export function withAnvilAliases(services: Services, deps: AliasDeps): Services {
  const targetOf = (method: string): BoundMethod | undefined => services.methods.get(`dev.${method}`);
  const call: CallDev = async (method, params) => {
    const target = targetOf(method) as BoundMethod;
    const result = await target.run(target.readParams(writeJson(params)));
    return (result instanceof RawJson ? {} : result) as Awaited<ReturnType<CallDev>>;
  };
  const context: AliasContext = { ...deps, lastSnapshot: -1n };
  const bound = Object.entries(anvilAliases)
    .filter(([, { targets }]) => targets.every((target) => targetOf(target) !== undefined))
    .map(([name, { run }]): [string, BoundMethod] => [
      name,
      { needsWriter: true, paramNames: [], readParams: readPositional, run: (params) => run(call, params as readonly unknown[], context) },
    ]);
  return { ...services, methods: new Map([...services.methods, ...bound]) };
}

/** Reads positional parameters. The text has one character per byte, see rpc/json-rpc.ts. */
function readPositional(raw: string | null): readonly unknown[] {
  if (raw === null) return [];
  const params: unknown = JSON.parse(Buffer.from(raw, 'latin1').toString('utf8'));
  if (!Array.isArray(params)) throw badArgument('', 'list');
  return params;
}

/** A number as Ethereum clients send it: a JSON number, or decimal or hex digits as text. */
function toQuantity(name: string, value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === 'string' && /^(?:0x[0-9a-fA-F]{1,16}|\d{1,20})$/.test(value)) return BigInt(value);
  throw badArgument(name, 'quantity');
}

function toBoolean(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw badArgument(name, 'boolean');
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw badArgument(name, 'string');
}

const isRecord = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
