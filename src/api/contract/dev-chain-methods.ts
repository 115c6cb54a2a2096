import { devMethod } from './method.ts';
import {
  addressName,
  anyObject,
  anyOf,
  anything,
  bigIntegerText,
  duration,
  encoding,
  flag,
  id,
  integer,
  integerText,
  list,
  listUpTo,
  longText,
  nodeID,
  nothing,
  number,
  numberOrText,
  object,
  oneOf,
  optional,
  record,
  text,
  time,
  u32,
  wire,
  withDefault,
} from './schema.ts';
import { BlockSchema, TxSchema } from './tx-json.ts';
import type { OutOf } from './views.ts';

const tip = { height: integerText(), time: integerText('Unix seconds.') };
const policy = { automine: flag(), interval: number('Seconds; 0: no blocks by time.') };
const clock = {
  time: integerText('Unix seconds.'),
  offset: integerText('Seconds that the clock is ahead of real time; negative if it is behind.'),
  frozen: flag(),
};

/** Blocks and the mempool: `dev.*`. */
export const blocksRows = {
  mine: devMethod(
    { blocks: optional(numberOrText('uint64')), interval: optional(duration()) },
    record({ ...tip, filler: flag() }),
    'blocks',
  ),
  setAutomine: devMethod({ enabled: flag() }, record(policy), 'enabled'),
  setIntervalMining: devMethod({ seconds: duration() }, record(policy), 'seconds'),
  getMempool: devMethod({}, record({ txs: list(record({ txID: id(), type: text(), bytes: integer() })), total: integer() })),
  dropTx: devMethod({ txID: id() }, record({ txID: id() }), 'txID'),
};

/** The clock of the chain: `dev.*`. All return the clock. */
export const timeRows = {
  getTime: devMethod({}, record(clock)),
  setTime: devMethod({ time: time() }, record(clock), 'time'),
  increaseTime: devMethod({ seconds: duration() }, record(clock), 'seconds'),
  setNextBlockTime: devMethod({ time: time() }, record(clock), 'time'),
  freezeTime: devMethod({}, record(clock)),
  resetTime: devMethod({}, record(clock)),
};

const impersonation = record({ addresses: list(text()), total: integer(), auto: flag() });

/** Addresses that need no signature: `dev.*`. */
export const identityRows = {
  impersonate: devMethod({ address: addressName() }, impersonation, 'address'),
  stopImpersonating: devMethod({ address: addressName() }, impersonation, 'address'),
  setAutoImpersonate: devMethod({ enabled: flag() }, impersonation, 'enabled'),
};

/** One check of `dev.explainTx`; further properties are the values that were compared. */
export type TxCheckJson = {
  readonly rule: string;
  readonly path?: string;
  /** null: it could not run because one before it failed. */
  readonly ok: boolean | null;
  readonly code?: string;
  readonly message?: string;
  readonly [value: string]: unknown;
};

const Step = object('TransactionStep', {
  step: oneOf(['received', 'verified', 'pooled', 'refused', 'dropped', 'accepted']),
  time: text('RFC 3339.'),
  height: optional(text('Only of an accepted one.')),
  blockID: optional(id('Only of an accepted one.')),
  reason: optional(anything('Only of a refused or dropped one.')),
  data: optional(anything('The code and values of the reason.')),
});

/** A step in the life of a transaction. */
export type LifecycleStep = OutOf<typeof Step>;

const OrderedFault = object('OrderedFault', {
  kind: oneOf(['latency', 'failure', 'unhealthy']),
  target: text('A method, or a health check; empty: all methods.'),
  ms: optional(integer('Milliseconds of a latency.')),
  times: optional(integer('Calls that will still fail.')),
  message: optional(text('The error of the calls or of the health check.')),
});

/** A fault that a developer has ordered and that has not ended. */
export type OrderedFaultJson = OutOf<typeof OrderedFault>;

/** Methods that show why and how something happened: `dev.*`. */
export const insightRows = {
  explainTx: devMethod(
    { tx: longText(), encoding: optional(encoding()) },
    record({
      txID: id(),
      type: text(),
      accepted: flag(),
      checks: list(anyObject<TxCheckJson>('`rule`, `ok`, and the values that were compared.')),
    }),
    'tx',
  ),
  decode: devMethod(
    { bytes: longText() },
    record({
      kind: oneOf(['tx', 'block', 'utxo']),
      size: integer(),
      id: id(),
      type: optional(text()),
      tx: optional(wire(TxSchema)),
      block: optional(wire(BlockSchema)),
      utxo: optional(wire(anyObject())),
    }),
    'bytes',
  ),
  getTxLifecycle: devMethod({ txID: id() }, record({ txID: id(), status: text(), steps: list(Step) }), 'txID'),
  getUTXO: devMethod(
    { utxoID: text() },
    record({
      utxoID: id(),
      txID: id(),
      outputIndex: integer(),
      type: text(),
      assetID: id(),
      symbol: text(),
      denomination: integer(),
      amount: optional(bigIntegerText()),
      groupID: optional(integer()),
      payload: optional(longText()),
      addresses: list(text()),
      threshold: integer(),
      locktime: bigIntegerText(),
      spent: flag(),
      spentBy: optional(id('Only of a spent one.')),
    }),
    'utxoID',
  ),
  getAsset: devMethod({ assetID: text() }, record({ assetID: id(), name: text(), symbol: text(), denomination: integer() }), 'assetID'),
};

/** The most nodes of one call of `dev.blockPeers` or `dev.delayPeers`. */
const maxBlockedPeers = 1024;
/** The longest delay of `dev.delayPeers` in milliseconds: well below the time after which a peer that takes nothing is disconnected. */
export const maxPeerDelay = 10_000;

/** The connections of a node with peers: `dev.*`. */
export const peerRows = {
  blockPeers: devMethod({ nodeIDs: listUpTo(maxBlockedPeers, nodeID()) }, record({ blocked: list(nodeID()) }), 'nodeIDs'),
  delayPeers: devMethod({ nodeIDs: listUpTo(maxBlockedPeers, nodeID()), ms: u32() }, record({ delayed: list(nodeID()), ms: integer() })),
};

/** The state of the developer's chain: `dev.*`. */
export const nodeRows = {
  nodeInfo: devMethod(
    {},
    record({
      version: text(),
      network: record({ id: integer(), name: text(), hrp: text() }),
      blockchainID: id(),
      height: integerText(),
      blockID: id(),
      blockTime: integerText(),
      ...clock,
      ...policy,
      pending: integer(),
      impersonated: integer(),
      impersonatedAddresses: list(text(), 'At most 100.'),
      autoImpersonate: flag(),
      faults: list(OrderedFault),
    }),
  ),
};

/** Methods that make the node slow, fail or unhealthy: `dev.*`. */
export const faultRows = {
  setLatency: devMethod({ ms: u32(), method: optional(text()) }, record({ ms: integer(), method: anyOf([text(), nothing()]) }), 'ms'),
  failNext: devMethod(
    { method: text(), times: optional(withDefault(u32(), 1)), error: optional(text()) },
    record({ method: text(), times: integer() }),
    'method',
  ),
  setUnhealthy: devMethod({ check: text(), message: optional(text()) }, record({ check: text(), healthy: flag() }), 'check'),
};

const snapshot = { name: text(), ...tip };
const blocks = list(record({ height: integerText(), blockID: id() }));

/** Replacing blocks: `dev.*`. The most blocks, and transactions of one block. */
export const maxReorg = 1000;
const maxReorgTxs = 256;

export const reorgRows = {
  reorg: devMethod(
    { depth: u32(), blocks: optional(listUpTo(maxReorg, listUpTo(maxReorgTxs, longText()))), returnTxs: optional(flag()) },
    record({
      ...tip,
      removed: blocks,
      added: blocks,
      refused: list(record({ txID: id(), reason: text() }), 'Transactions of `blocks` that are not valid after the reorg.'),
      returned: integer('Transactions of the removed blocks that are in the mempool again.'),
    }),
    'depth',
  ),
};

/** Saving and restoring the state: `dev.*`. */
export const stateRows = {
  snapshot: devMethod({ name: optional(text()) }, record(snapshot), 'name'),
  revert: devMethod({ name: text() }, record(tip), 'name'),
  listSnapshots: devMethod({}, record({ snapshots: list(record(snapshot)) })),
  diff: devMethod(
    { from: text(), to: optional(text()) },
    record({
      blocks: record({ added: blocks, removed: blocks }),
      txs: record({ added: list(id()), removed: list(id()) }),
      balances: list(
        record({
          address: text(),
          assetID: id(),
          change: bigIntegerText('Signed, in the smallest unit, of outputs that the address owns alone.'),
          sharedChange: bigIntegerText('The same for outputs that the address owns together with others.'),
        }),
      ),
    }),
    'from',
  ),
  deleteSnapshot: devMethod({ name: text() }, record({ name: text() }), 'name'),
  reset: devMethod({}, record(tip)),
};
