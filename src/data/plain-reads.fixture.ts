import type { Address } from '../bytes/address.ts';
import type { Id } from '../bytes/id.ts';
import { compareHex } from '../bytes/octets.ts';
import type {
  AssetEntry,
  BlockEntry,
  IndexReads,
  Order,
  OutputEntry,
  Pin,
  Spent,
  Subject,
  Times,
  TxEntry,
} from '../index-read/index-reads.ts';
import type { Block } from '../tx/block.ts';
import { consumedBy, effectsOf } from '../tx/effects.ts';
import type { InitialState, Output } from '../tx/output.ts';
import type { Tx } from '../tx/tx.ts';
import type { Utxo } from '../tx/utxo.ts';

/** A chain as a list of blocks, with what other chains sent it. */
export type PlainChain = {
  readonly id: Id;
  readonly genesisTxs: readonly Tx[];
  readonly blocks: readonly Block[];
  readonly deposits: readonly Deposit[];
};

/** `seen`: the time at which this server first knew of it. */
export type Deposit = { readonly from: Id; readonly utxo: Utxo; readonly seen: number };

type Placed = { readonly seq: number; readonly tx: Tx; readonly block: Block };
type Kept = Omit<OutputEntry, 'spent'> & { readonly height: number; spender: Placed | undefined };

/** The questions of the index, answered by looking through everything: slow and plain, what the tests hold the rows and the index against. */
export function plainReads({ id: chainID, genesisTxs, blocks, deposits }: PlainChain): IndexReads {
  const [first] = blocks as [Block, ...Block[]];
  const placed = [
    ...genesisTxs.map((tx) => ({ tx, block: first })),
    ...blocks.flatMap((block) => block.txs.map((tx) => ({ tx, block }))),
  ].map((one, at): Placed => ({ seq: at + 1, ...one }));
  const outputs = new Map<Id, Kept>();
  const keep = (utxo: Utxo, { height, time, ...where }: { createdOn: Id; consumedOn: Id; height: number; time: number }) =>
    outputs.set(utxo.id, { seq: outputs.size + 1, utxo, time, height, ...where, spender: undefined });
  for (const { from, utxo, seen } of deposits) keep(utxo, { createdOn: from, consumedOn: chainID, height: 0, time: seen });
  for (const one of placed) {
    const effects = effectsOf(one.tx);
    const now = { createdOn: chainID, height: Number(one.block.height), time: Number(one.block.time) };
    for (const utxo of effects.created) keep(utxo, { ...now, consumedOn: chainID });
    for (const utxo of effects.exported?.utxos ?? []) keep(utxo, { ...now, consumedOn: effects.exported?.to as Id });
  }
  for (const one of placed)
    for (const id of consumedBy(one.tx)) {
      const output = outputs.get(id);
      if (output !== undefined) output.spender = one;
    }
  const made = Map.groupBy(outputs.values(), ({ utxo }) => utxo.txID);
  const own = () => [...outputs.values()].filter(({ createdOn }) => createdOn === chainID);

  const pinOf = (block: Block | undefined): Pin | undefined =>
    block && {
      height: Number(block.height),
      id: block.id,
      time: Number(block.time),
      lastTx: placed.filter((one) => one.block.height <= block.height).length,
    };
  const entryOf = ({ height: _, spender, ...output }: Kept, pin: Pin): OutputEntry => ({
    ...output,
    spent: spender === undefined || spender.seq > pin.lastTx ? undefined : spentBy(spender),
  });
  const txEntry = ({ seq, tx, block }: Placed, pin: Pin): TxEntry => ({
    seq,
    tx,
    height: Number(block.height),
    blockID: block.id,
    time: Number(block.time),
    consumed: consumedBy(tx).flatMap((id) => {
      const output = outputs.get(id);
      return output === undefined ? [] : [entryOf(output, pin)];
    }),
    emitted: (made.get(tx.id) ?? []).map((output) => entryOf(output, pin)),
  });
  const isAbout = ({ consumed, emitted, tx }: TxEntry, subject: Subject): boolean => {
    const all = [...consumed, ...emitted].map(({ utxo }) => utxo);
    if ('address' in subject) return all.some(({ output }) => output.addresses.includes(subject.address));
    return tx.id === subject.asset ? tx.unsigned.kind === 'CreateAssetTx' : all.some(({ assetID }) => assetID === subject.asset);
  };
  const blockEntry = (block: Block): BlockEntry => ({
    height: Number(block.height),
    id: block.id,
    parentID: block.parentID,
    time: Number(block.time),
    size: block.bytes.length,
    txIDs: block.txs.map(({ id }) => id),
  });
  const spendable = (addresses: readonly Address[], { utxo: { output } }: Kept) =>
    output.addresses.filter((address) => addresses.includes(address)).length >= output.threshold &&
    output.addresses.some((address) => addresses.includes(address));

  const reads: IndexReads = {
    tip: async () => pinOf(blocks.at(-1)) as Pin,
    pinAt: async (height) => pinOf(blocks[height]),
    pinBefore: async (time) => pinOf(blocks.findLast((block) => block.time < BigInt(time))),
    completeFrom: async () => 0,
    block: async (which) => {
      const found = 'height' in which ? blocks[which.height] : blocks.find(({ id }) => id === which.id);
      return found && blockEntry(found);
    },
    blocks: async ({ pin, times, after, order, limit }) =>
      paged(
        blocks
          .filter((block) => block.height <= BigInt(pin.height))
          .map(blockEntry)
          .filter(within(times)),
        ({ height }) => height,
        { after, order, limit },
      ),
    tx: async (id, pin) => {
      const found = placed.find(({ tx, seq }) => tx.id === id && seq <= pin.lastTx);
      return found && txEntry(found, pin);
    },
    txs: async ({ pin, subjects, kinds, times, after, order, limit }) => {
      const all = placed.filter(({ seq }) => seq <= pin.lastTx).map((one) => txEntry(one, pin));
      const asked = all
        .filter(within(times))
        .filter(({ tx }) => kinds?.includes(tx.unsigned.kind) ?? true)
        .filter((entry) => subjects?.some((subject) => isAbout(entry, subject)) ?? true);
      return paged(asked, ({ seq }) => seq, { after, order, limit });
    },
    utxos: async ({ pin, addresses, asset, minAmount, includeSpent, sortBy, order, after, limit }) => {
      const isImported = ({ spender }: Kept) => spender !== undefined && Number(spender.block.height) <= pin.height;
      const sorted = [...outputs.values()]
        .filter((output) => (output.createdOn === chainID ? output.height <= pin.height : isImported(output)))
        .filter((output) => spendable(addresses, output))
        .filter(({ utxo }) => (asset === undefined || utxo.assetID === asset) && sortAmount(utxo.output) >= minAmount)
        .map((output) => entryOf(output, pin))
        .filter(({ spent }) => includeSpent || spent === undefined)
        .sort((a, b) => byKey(sortBy, a, b) || compareHex(a.utxo.id, b.utxo.id));
      if (order === 'desc') sorted.reverse();
      const from = after === undefined ? 0 : sorted.findIndex(({ seq }) => seq === after) + 1;
      return sorted.slice(from, from + limit);
    },
    balances: async (addresses, pin) => {
      const here = own().filter((output) => output.height <= pin.height && spendable(addresses, output));
      const open = here.filter((output) => entryOf(output, pin).spent === undefined && !isRight(output.utxo.output));
      const alone = open.filter(({ utxo, consumedOn }) => consumedOn === chainID && isAlone(utxo.output));
      const entries = (kept: readonly Kept[]) => kept.map((output) => entryOf(output, pin));
      return {
        own: alone.map(({ utxo: { assetID: asset, output } }) => {
          const { locktime } = output;
          return 'amount' in output
            ? { asset, locktime, amount: output.amount, count: 1, nfts: 0 }
            : { asset, locktime, amount: 0n, count: 0, nfts: 1 };
        }),
        shared: entries(open.filter(({ utxo, consumedOn }) => consumedOn === chainID && !isAlone(utxo.output))),
        exported: entries(open.filter(({ consumedOn }) => consumedOn !== chainID)),
      };
    },
    asset: async (id) => (await reads.assets([id])).get(id) ?? (placed.some(({ tx }) => tx.id === id) ? 'not-an-asset' : undefined),
    assets: async (ids) =>
      new Map(placed.flatMap((one) => (ids.includes(one.tx.id) ? assetEntry(one) : [])).map((entry) => [entry.id, entry])),
    lastActivity: async (addresses, pin) => {
      const subjects = addresses.map((address) => ({ address }));
      const [last] = await reads.txs({ pin, subjects, kinds: undefined, times: always, after: undefined, order: 'desc', limit: 1 });
      if (last === undefined) return undefined;
      const isTheirs = ({ utxo }: OutputEntry) => utxo.output.addresses.some((address) => addresses.includes(address));
      const made = last.emitted.find(isTheirs);
      const { utxo } = made ?? (last.consumed.find(isTheirs) as OutputEntry);
      return { time: last.time, height: last.height, txID: last.tx.id, utxoID: utxo.id, isConsumed: made === undefined };
    },
    known: async (addresses, pin) => {
      const seen = await Promise.all(addresses.map((address) => reads.lastActivity([address], pin)));
      return new Set(addresses.filter((_, at) => seen[at] !== undefined));
    },
    spans: async () => [],
    spanBefore: async () => undefined,
    totals: async () => [],
    addressesBefore: async () => 0,
  };

  function assetEntry({ tx, block, seq: _ }: Placed): AssetEntry[] {
    const { unsigned, id } = tx;
    if (unsigned.kind !== 'CreateAssetTx') return [];
    const pin = pinOf(blocks.at(-1)) as Pin;
    const touching = placed.map((one) => txEntry(one, pin)).filter((entry) => isAbout(entry, { asset: id }));
    const ofIt = own().filter(({ utxo, consumedOn }) => utxo.assetID === id && consumedOn === chainID);
    const open = ofIt.filter(({ spender }) => spender === undefined).map(({ utxo }) => utxo.output);
    return [
      {
        id,
        name: Buffer.from(unsigned.name).toString(),
        symbol: Buffer.from(unsigned.symbol).toString(),
        denomination: unsigned.denomination,
        type: !isMadeOf(unsigned.initialStates, 0) && unsigned.initialStates.length > 0 ? 'nft' : 'secp256k1',
        cap: unsigned.initialStates.some((state) => state.outputs.some(isRight)) ? 'variable' : 'fixed',
        createdTime: Number(block.time),
        firstTime: Math.min(...touching.map(({ time }) => time)),
        lastTime: Math.max(...touching.map(({ time }) => time)),
        txs: touching.length,
        supply: open.reduce((sum, output) => sum + ('amount' in output ? output.amount : 0n), 0n),
        nfts: open.filter((output) => !('amount' in output) && !isRight(output)).length,
        minters: [...new Set(open.filter(isRight).flatMap(({ addresses }) => addresses))].sort(),
      },
    ];
  }
  return reads;
}

const isMadeOf = (states: readonly InitialState[], fx: number): boolean => states.some(({ fxIndex }) => fxIndex === fx);

/* By what the outputs are, and by none of the index's own rules. */
const isRight = ({ kind }: Output): boolean => kind.endsWith('MintOutput');
const isAlone = ({ addresses }: Output): boolean => addresses.length === 1;
const sortAmount = (output: Output): bigint => ('amount' in output ? output.amount : isRight(output) ? 0n : 1n);

const always: Times = { from: undefined, to: undefined };

const spentBy = ({ tx, block }: Placed): Spent => ({ txID: tx.id, time: Number(block.time), tx });

const within =
  ({ from = 0, to = Number.POSITIVE_INFINITY }: Times) =>
  ({ time }: { readonly time: number }) =>
    time >= from && time < to;

const byKey = (sortBy: 'timestamp' | 'amount', a: OutputEntry, b: OutputEntry): number => {
  if (sortBy === 'timestamp') return a.time - b.time;
  const [of, than] = [sortAmount(a.utxo.output), sortAmount(b.utxo.output)];
  return of < than ? -1 : of > than ? 1 : 0;
};

type Page = { readonly after: number | undefined; readonly order: Order; readonly limit: number };

/** Rows come in rising order of their numbers. */
function paged<T>(rows: readonly T[], numberOf: (row: T) => number, { after, order, limit }: Page): T[] {
  const sorted = order === 'asc' ? rows : rows.toReversed();
  const isBehind = (row: T) => after === undefined || (order === 'asc' ? numberOf(row) > after : numberOf(row) < after);
  return sorted.filter(isBehind).slice(0, limit);
}
