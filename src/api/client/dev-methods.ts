import { method } from './method-row.ts';
import { sharedParams } from './node-methods.ts';
import { amount, anyJson, count, flag, list, number, numberOrText, oneOf, optional, record, text, wireJson } from './shape.ts';
import type { BlockJson, TxJson } from './wire-json.ts';

const { to, assetID, threshold, memo, locktime, from } = sharedParams;
const issued = { txID: text };
const created = { assetID: text, txID: text };
const withOutput = { txID: text, utxoID: text };
const tip = { height: count, time: count };
const snapshot = { name: text, height: count, time: count };
const clock = { time: count, offset: count, frozen: flag };
const policy = { automine: flag, interval: number };
const impersonation = { addresses: list(text), total: count, auto: flag };
const blocks = list(record({ height: count, blockID: text }));

const account = record({ index: count, address: text, privateKey: optional(text), balance: amount });
const atomicOutput = record({
  utxoID: text,
  sourceChain: text,
  destinationChain: text,
  txID: text,
  outputIndex: count,
  assetID: text,
  amount: optional(amount),
  kind: optional(text),
  addresses: list(text),
  threshold: count,
  locktime: amount,
});

/** An output as `dev.getUTXO` describes it; `spentBy` of a spent one. */
const shownOutput = {
  utxoID: text,
  txID: text,
  outputIndex: count,
  type: text,
  assetID: text,
  symbol: text,
  denomination: count,
  amount: optional(amount),
  groupID: optional(count),
  payload: optional(text),
  addresses: list(text),
  threshold: count,
  locktime: amount,
  spent: flag,
  spentBy: optional(text),
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

/** A step in the life of a transaction; `height` and `blockID` of an accepted one, `reason` of a refused or dropped one. */
export type LifecycleStep = {
  readonly step: 'received' | 'verified' | 'pooled' | 'refused' | 'dropped' | 'accepted';
  readonly time: string;
  readonly height?: string;
  readonly blockID?: string;
  readonly reason?: unknown;
};

/** Methods of the developer's chain: `dev.*`. */
export const devRows = {
  accounts: method({}, { accounts: list(account) }),
  faucet: method({ to, amount: optional(amount), assetID, threshold }, issued, 'to'),
  send: method({ from, to, amount, assetID, memo, locktime, threshold }, issued),
  createAsset: method(
    { name: text, symbol: text, denomination: optional(count), supply: optional(amount), owner: optional(to), mintable: optional(flag) },
    created,
  ),
  mint: method({ assetID: text, to, amount, threshold }, issued),
  createNFT: method({ name: text, symbol: text, groups: optional(count) }, created),
  mintNFT: method({ assetID: text, to, payload: text, threshold }, { txID: text, groupID: count, utxoID: text }),
  sendNFT: method({ utxoID: text, to, threshold }, withOutput),
  createProperty: method({ name: text, symbol: text }, created),
  mintProperty: method({ assetID: text, to, threshold }, withOutput),
  burnProperty: method({ utxoID: text }, issued, 'utxoID'),

  atomicDeposit: method({ from: oneOf<'P' | 'C'>(), to, amount, assetID, locktime, threshold }, { utxoID: text }),
  listAtomic: method({ limit: optional(count) }, { utxos: list(atomicOutput), truncated: flag }, 'limit'),
  export: method({ destinationChain: oneOf<'P' | 'C'>(), from, to: optional(to), amount, assetID, memo, locktime, threshold }, withOutput),
  claimExport: method({ utxoID: text }, { utxoID: text, destinationChain: text }, 'utxoID'),
  addAtomicUTXO: method({ sourceChain: text, utxo: text }, { utxoID: text }),

  mine: method({ blocks: optional(count), interval: optional(numberOrText) }, { ...tip, filler: flag }, 'blocks'),
  setAutomine: method({ enabled: flag }, policy, 'enabled'),
  setIntervalMining: method({ seconds: numberOrText }, policy, 'seconds'),
  getMempool: method({}, { txs: list(record({ txID: text, type: text, bytes: count })), total: count }),
  dropTx: method({ txID: text }, issued, 'txID'),

  getTime: method({}, clock),
  setTime: method({ time: numberOrText }, clock, 'time'),
  increaseTime: method({ seconds: numberOrText }, clock, 'seconds'),
  setNextBlockTime: method({ time: numberOrText }, clock, 'time'),
  freezeTime: method({}, clock),
  resetTime: method({}, clock),

  impersonate: method({ address: text }, impersonation, 'address'),
  stopImpersonating: method({ address: text }, impersonation, 'address'),
  setAutoImpersonate: method({ enabled: flag }, impersonation, 'enabled'),

  explainTx: method(
    { tx: text, encoding: optional(oneOf<'hex' | 'hexc' | 'hexnc'>()) },
    { txID: text, type: text, accepted: flag, checks: list(anyJson<TxCheckJson>()) },
    'tx',
  ),
  decode: method(
    { bytes: text },
    {
      kind: oneOf<'tx' | 'block' | 'utxo'>(),
      size: count,
      id: text,
      type: optional(text),
      tx: optional(wireJson<TxJson>()),
      block: optional(wireJson<BlockJson>()),
      utxo: optional(wireJson<{ readonly [name: string]: unknown }>()),
    },
    'bytes',
  ),
  getTxLifecycle: method({ txID: text }, { txID: text, status: text, steps: list(anyJson<LifecycleStep>()) }, 'txID'),
  getUTXO: method({ utxoID: text }, shownOutput, 'utxoID'),
  getAsset: method({ assetID: text }, { assetID: text, name: text, symbol: text, denomination: count }, 'assetID'),
  nodeInfo: method(
    {},
    {
      version: text,
      network: record({ id: count, name: text, hrp: text }),
      blockchainID: text,
      height: count,
      blockID: text,
      blockTime: count,
      ...clock,
      ...policy,
      pending: count,
      impersonated: count,
      autoImpersonate: flag,
      faults: flag,
    },
  ),

  setLatency: method({ ms: count, method: optional(text) }, { ms: count, method: anyJson<string | null>() }, 'ms'),
  failNext: method({ method: text, times: optional(count), error: optional(text) }, { method: text, times: count }, 'method'),
  setUnhealthy: method({ check: text, message: optional(text) }, { check: text, healthy: flag }, 'check'),

  snapshot: method({ name: optional(text) }, snapshot, 'name'),
  revert: method({ name: text }, tip, 'name'),
  listSnapshots: method({}, { snapshots: list(record(snapshot)) }),
  diff: method(
    { from: text, to: optional(text) },
    {
      blocks: record({ added: blocks, removed: blocks }),
      txs: record({ added: list(text), removed: list(text) }),
      balances: list(record({ address: text, assetID: text, change: amount, sharedChange: amount })),
    },
    'from',
  ),
  deleteSnapshot: method({ name: text }, { name: text }, 'name'),
  reset: method({}, tip),
};
