import { bigIntegerText, type Fields, flag, integer, list, map, object, oneOf, optional, text, wire } from './schema.ts';
import { TxSchema } from './tx-json.ts';
import { TxCountsSchema, TxSummarySchema } from './tx-summary.ts';
import type { OutOf } from './views.ts';

/** The JSON of the events about chains. The browser's client loads them; what they mean, and the events about the stream, are in event-kinds.ts. */

export const eventID = text('Position in the stream; resume with it as `Last-Event-ID`.');
const chain = text('First alias of the chain, such as X.');
const chainID = text('ID of the blockchain.');
const height = integer('Height of the block.');
const time = integer('Unix seconds.');
const sizeBytes = integer('Its size.');

const BalanceChange = object('EventBalanceChange', {
  address: text(),
  assetID: text(),
  change: bigIntegerText('Signed amount in the smallest unit, of outputs that the address owns alone.'),
  sharedChange: bigIntegerText('The same for outputs that the address owns together with others.'),
});

/** An event of a chain: `id`, `kind`, the chain, then its own properties. */
const chainEvent = <const K extends string, F extends Fields>(title: string, kind: K, properties: F) =>
  object(title, { id: eventID, kind: oneOf([kind]), chain, chainID, ...properties });

export const eventSchemas = {
  block: chainEvent('BlockEvent', 'block', {
    height,
    blockID: text(),
    parentID: text(),
    time,
    sizeBytes,
    txCountByType: TxCountsSchema,
    txIDs: list(text(), 'The transactions in their order.'),
  }),
  tx: chainEvent('TxEvent', 'tx', {
    height,
    blockID: text(),
    time,
    txID: text(),
    txType: oneOf(['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx']),
    sizeBytes,
    tx: { ...wire(TxSchema), description: 'The transaction as `avm.getTx` with encoding `json` returns it.' },
    summary: TxSummarySchema,
    balanceChanges: list(BalanceChange, 'For each address and asset, from the outputs that the transaction spends and creates.'),
    labels: optional(map(text(), 'Names of addresses, given by `dev.label`; absent if none has one.')),
  }),
  reverted: chainEvent('RevertedEvent', 'reverted', {
    height: integer('Height of the last block after the revert.'),
    blockID: text('The last block after the revert.'),
    time,
    snapshot: optional(
      text('Name of the restored snapshot; reorg, reset or state file if blocks were replaced, or the chain was reset or loaded.'),
    ),
  }),
  mempool: object('MempoolEvent', {
    kind: oneOf(['mempool']),
    chain,
    chainID,
    action: oneOf(['in', 'out']),
    txID: text(),
    txType: text(),
    sizeBytes,
    reason: optional(object('DropReason', { code: text('See docs/reference/errors.md.'), message: text() })),
  }),
  time: object('TimeEvent', {
    kind: oneOf(['time']),
    time,
    offset: integer('Seconds that the clock is ahead of real time; negative if it is behind.'),
    frozen: flag(),
  }),
  settings: object('SettingsEvent', {
    kind: oneOf(['settings']),
    changed: oneOf(
      ['blocks', 'faults', 'snapshots', 'labels', 'impersonation'],
      '`blocks`: when they are made. `dev.nodeInfo`, `dev.listSnapshots` and `dev.labels` return the values.',
    ),
  }),
  calls: object('CallsEvent', {
    kind: oneOf(['calls']),
    last: integer('Number of the last call.'),
  }),
  health: object('HealthEvent', {
    kind: oneOf(['health']),
    healthy: flag('Whether all checks pass.'),
    check: text('The check whose result changed.'),
    error: optional(text('Why it fails; missing if it passes.')),
  }),
  reset: object('ResetEvent', { id: eventID, kind: oneOf(['reset']), reason: text() }),
};

/** What happened to the chain: every kind but those about the stream itself. `reset`: events were lost; read the current state again. */
export type ChainEvent = { [K in ChainEventKind]: OutOf<(typeof eventSchemas)[K]> }[ChainEventKind];
export type ChainEventKind = keyof typeof eventSchemas;
export type ChainEventOf<K extends ChainEventKind> = Extract<ChainEvent, { readonly kind: K }>;
