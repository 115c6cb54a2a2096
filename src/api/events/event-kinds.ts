import { flag, integer, list, object, oneOf, optional, type Schema, text } from '../rest/schema.ts';

/**
 * The kinds of events: what each means and the schema of its JSON. The documentation, the OpenAPI document and the tests of the stream all
 * use this table.
 * `isResumable`: the event has an `id` and is sent again to a client that resumes from an earlier one. All others are live only.
 */
export type EventKindRow = {
  readonly meaning: string;
  readonly isResumable: boolean;
  /** Whether a client can ask for it with `kind`. The others are about the stream itself and are always sent. */
  readonly isSelectable: boolean;
  readonly schema: Schema;
};

const idSchema = text('Position in the stream; resume with it as `Last-Event-ID`.');
const chain = text('First alias of the chain, such as X.');
const chainID = text('ID of the blockchain.');
const height = integer('Height of the block.');
const time = integer('Unix seconds.');

const BalanceChange = object('EventBalanceChange', {
  address: text(),
  assetID: text(),
  change: text('Signed amount in the smallest unit, of outputs that the address owns alone.'),
  sharedChange: text('The same for outputs that the address owns together with others.'),
});

/** An event of a chain: `id`, `kind`, the chain, then its own properties. */
const chainEvent = (title: string, kind: string, properties: Parameters<typeof object>[1]): Schema =>
  object(title, { id: idSchema, kind: oneOf([kind]), chain, chainID, ...properties });

export const eventKinds = {
  block: {
    meaning: 'A block was accepted. It comes before the events of its transactions.',
    isResumable: true,
    isSelectable: true,
    schema: chainEvent('BlockEvent', 'block', {
      height,
      blockID: text(),
      parentID: text(),
      time,
      txIDs: list(text(), 'The transactions in their order.'),
    }),
  },
  tx: {
    meaning: 'A transaction was accepted.',
    isResumable: true,
    isSelectable: true,
    schema: chainEvent('TxEvent', 'tx', {
      height,
      blockID: text(),
      time,
      txID: text(),
      txType: oneOf(['BaseTx', 'CreateAssetTx', 'OperationTx', 'ImportTx', 'ExportTx']),
      tx: { type: 'object', description: 'The transaction as `avm.getTx` with encoding `json` returns it.' },
      balanceChanges: list(BalanceChange, 'For each address and asset, from the outputs that the transaction spends and creates.'),
    }),
  },
  reverted: {
    meaning:
      'An earlier state was restored: the blocks above `height` are no longer accepted, and the mempool is empty. Transactions that a snapshot has in the mempool follow as `mempool` events.',
    isResumable: true,
    isSelectable: true,
    schema: chainEvent('RevertedEvent', 'reverted', {
      height: integer('Height of the last block after the revert.'),
      blockID: text('The last block after the revert.'),
      time,
      snapshot: optional(text('Name of the restored snapshot.')),
    }),
  },
  mempool: {
    meaning: 'A transaction entered the mempool, or left it other than by being accepted or by a revert.',
    isResumable: false,
    isSelectable: true,
    schema: object('MempoolEvent', {
      kind: oneOf(['mempool']),
      chain,
      chainID,
      action: oneOf(['in', 'out']),
      txID: text(),
      txType: text(),
      reason: optional(object('DropReason', { code: text('See docs/errors.md.'), message: text() })),
    }),
  },
  time: {
    meaning: "The chain's clock was changed.",
    isResumable: false,
    isSelectable: true,
    schema: object('TimeEvent', {
      kind: oneOf(['time']),
      time,
      offset: integer('Seconds that the clock is ahead of real time; negative if it is behind.'),
      frozen: flag(),
    }),
  },
  health: {
    meaning: 'A health check of the node began to fail, or passed again.',
    isResumable: false,
    isSelectable: true,
    schema: object('HealthEvent', {
      kind: oneOf(['health']),
      healthy: flag('Whether all checks pass.'),
      check: text('The check whose result changed.'),
      error: optional(text('Why it fails; missing if it passes.')),
    }),
  },
  reset: {
    meaning: 'The stream cannot be resumed from the given ID. It continues with new events: read the current state again.',
    isResumable: true,
    isSelectable: false,
    schema: object('ResetEvent', { id: idSchema, kind: oneOf(['reset']), reason: text() }),
  },
  heartbeat: {
    meaning: 'Sent every 2 s, and as soon as all past events were sent. Its `id` includes events that the filter left out.',
    isResumable: true,
    isSelectable: false,
    schema: object('HeartbeatEvent', { id: idSchema, kind: oneOf(['heartbeat']) }),
  },
  closed: {
    meaning: 'The last event before the server closes the stream. Resume from the last `id`.',
    isResumable: false,
    isSelectable: false,
    schema: object('ClosedEvent', {
      kind: oneOf(['closed']),
      reason: oneOf(
        ['too-slow', 'failed', 'stopping'],
        '`too-slow`: the client did not read its events in time. `failed`: past events could not be read. `stopping`: the server stops.',
      ),
      message: text(),
    }),
  },
} as const satisfies Readonly<Record<string, EventKindRow>>;

export type EventKind = keyof typeof eventKinds;

/** The kinds that `kind` selects. */
export type SelectableKind = 'block' | 'tx' | 'reverted' | 'mempool' | 'time' | 'health';

export const selectableKinds = (Object.keys(eventKinds) as EventKind[]).filter(
  (kind): kind is SelectableKind => eventKinds[kind].isSelectable,
);

/** The schema of any event. */
export const eventSchema: Schema = { title: 'Event', oneOf: Object.values(eventKinds).map(({ schema }) => schema) };
