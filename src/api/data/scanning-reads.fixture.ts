import type { Block } from '../../avm/tx/block.ts';
import { consumedIds, effectsOf } from '../../avm/tx/effects.ts';
import type { InitialState, Output } from '../../avm/tx/output.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { type Id, idToBytes } from '../../base/bytes/id.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import { joinIdTexts } from '../../ledger/index/explorer-tables.ts';
import { assetTypeOf } from '../../ledger/index/output-amount.ts';
import type {
  AssetEntry,
  BlockEntry,
  IndexReads,
  Order,
  OutputEntry,
  PinnedBlock,
  Subject,
  TimeRange,
  TxEntry,
} from '../../ledger/index-read/index-reads.ts';
import { openStoredTx, type StoredTx } from '../../ledger/state/stored-tx.ts';
import { encodeStoredUtxo } from '../../ledger/state/stored-utxo.ts';

/** A chain as a list of blocks, with the outputs that other chains exported to it. */
export type ScannedChain = {
  readonly id: Id;
  readonly genesisTxs: readonly Tx[];
  readonly blocks: readonly Block[];
  readonly deposits: readonly Deposit[];
};

/** `seen` is the time at which this server first saw the output. */
export type Deposit = { readonly from: Id; readonly utxo: Utxo; readonly seen: number };

type NumberedTx = { readonly seq: number; readonly tx: Tx; readonly block: Block };
type ScannedOutput = Omit<OutputEntry, 'spent'> & { readonly height: number; spender: NumberedTx | undefined };

/** All index queries, answered by scanning all blocks: slow and simple, the reference for tests of the routes and of the index. */
export function createScanningReads({ id: chainID, genesisTxs, blocks, deposits }: ScannedChain): IndexReads {
  const [first] = blocks as [Block, ...Block[]];
  const numberedTxs = [
    ...genesisTxs.map((tx) => ({ tx, block: first })),
    ...blocks.flatMap((block) => block.txs.map((tx) => ({ tx, block }))),
  ].map((tx, i): NumberedTx => ({ seq: i + 1, ...tx }));
  const outputs = new Map<Id, ScannedOutput>();
  const storeOutput = (utxo: Utxo, { height, time, ...where }: { createdOn: Id; consumedOn: Id; height: number; time: number }) =>
    outputs.set(utxo.id, { seq: outputs.size + 1, utxo, stored: encodeStoredUtxo(utxo), time, height, ...where, spender: undefined });
  for (const { from, utxo, seen } of deposits) storeOutput(utxo, { createdOn: from, consumedOn: chainID, height: 0, time: seen });
  for (const numbered of numberedTxs) {
    const effects = effectsOf(numbered.tx);
    const now = { createdOn: chainID, height: Number(numbered.block.height), time: Number(numbered.block.time) };
    for (const utxo of effects.created) storeOutput(utxo, { ...now, consumedOn: chainID });
    for (const utxo of effects.exported?.utxos ?? []) storeOutput(utxo, { ...now, consumedOn: effects.exported?.to as Id });
  }
  for (const numbered of numberedTxs)
    for (const id of consumedIds(numbered.tx)) {
      const output = outputs.get(id);
      if (output !== undefined) output.spender = numbered;
    }
  const created = Map.groupBy(outputs.values(), ({ utxo }) => utxo.txID);
  const own = () => [...outputs.values()].filter(({ createdOn }) => createdOn === chainID);

  /** Outputs of this chain by transaction and index; then those that moved between chains, by ID. */
  const byPosition = (a: OutputEntry, b: OutputEntry): number => {
    const hasMoved = ({ createdOn, consumedOn }: OutputEntry) => Number(createdOn !== consumedOn);
    if (hasMoved(a) + hasMoved(b) > 0) return hasMoved(a) - hasMoved(b) || compareHex(a.utxo.id, b.utxo.id);
    return a.seq - b.seq;
  };

  const pinOf = (block: Block | undefined): PinnedBlock | undefined =>
    block && {
      height: Number(block.height),
      id: block.id,
      time: Number(block.time),
      lastTx: numberedTxs.filter((numbered) => numbered.block.height <= block.height).length,
    };
  const entryOf = ({ height: _, spender, ...output }: ScannedOutput, pin: PinnedBlock): OutputEntry => ({
    ...output,
    spent: spender === undefined || spender.seq > pin.lastTx ? undefined : storedTx(spender),
  });
  const storedTx = ({ seq, tx, block }: NumberedTx): StoredTx =>
    openStoredTx({ seq, id: idToBytes(tx.id), bytes: tx.bytes, time: Number(block.time) });
  const txEntry = (numbered: NumberedTx, pin: PinnedBlock): TxEntry => ({
    tx: storedTx(numbered),
    height: Number(numbered.block.height),
    blockID: idToBytes(numbered.block.id),
    consumed: consumedOf(numbered).map((output) => output && entryOf(output, pin)),
    emitted: createdBy(numbered).map((output) => entryOf(output, pin)),
  });
  const consumedOf = ({ tx }: NumberedTx) => consumedIds(tx).map((id) => outputs.get(id));
  const createdBy = ({ tx }: NumberedTx) => created.get(tx.id) ?? [];
  const isAbout = (numbered: NumberedTx, subject: Subject): boolean => {
    const all = [...consumedOf(numbered), ...createdBy(numbered)].flatMap((output) => output?.utxo ?? []);
    if ('address' in subject) return all.some(({ output }) => output.addresses.includes(subject.address));
    const { id, unsigned } = numbered.tx;
    return id === subject.asset ? unsigned.kind === 'CreateAssetTx' : all.some(({ assetID }) => assetID === subject.asset);
  };
  const blockEntry = (block: Block): BlockEntry => ({
    height: Number(block.height),
    id: idToBytes(block.id),
    parentID: idToBytes(block.parentID),
    time: Number(block.time),
    size: block.bytes.length,
    txCount: block.txs.length,
    txIDTexts: joinIdTexts(block.txs.map(({ id }) => id)),
  });
  const spendable = (addresses: readonly Address[], { utxo: { output } }: ScannedOutput) =>
    output.addresses.filter((address) => addresses.includes(address)).length >= output.threshold &&
    output.addresses.some((address) => addresses.includes(address));

  const reads: IndexReads = {
    tip: async () => pinOf(blocks.at(-1)) as PinnedBlock,
    pinAtHeight: async (height) => pinOf(blocks[height]),
    pinBeforeTime: async (time) => pinOf(blocks.findLast((block) => block.time < BigInt(time))),
    completeFrom: async () => 0,
    block: async (which) => {
      const found = 'height' in which ? blocks[which.height] : blocks.find(({ id }) => id === which.id);
      return found && blockEntry(found);
    },
    blocks: async (heights) => heights.map((height) => blockEntry(blocks[height] as Block)),
    blockHeights: async ({ pin, times, after, order, limit }) =>
      cutPage(
        blocks
          .filter((block) => block.height <= BigInt(pin.height))
          .map(blockEntry)
          .filter(isWithin(times)),
        ({ height }) => height,
        { after, order, limit },
      ).map(({ height }) => height),
    txSeq: async (id, pin) => numberedTxs.find(({ tx, seq }) => tx.id === id && seq <= pin.lastTx)?.seq,
    txs: async (seqs, pin) => seqs.map((seq) => txEntry(numberedTxs[seq - 1] as NumberedTx, pin)),
    txsById: async (ids, pin) =>
      ids.flatMap((id) => numberedTxs.filter(({ tx, seq }) => tx.id === id && seq <= pin.lastTx)).map((one) => txEntry(one, pin)),
    tx: async (id, isRendered) => {
      const pin = await reads.tip();
      const found = numberedTxs.find(({ tx }) => tx.id === id);
      return found && { pin, seq: found.seq, entry: isRendered(found.seq, pin) ? undefined : txEntry(found, pin), publicKeys: new Map() };
    },
    publicKeys: async () => new Map(),
    spentOutputs: async (seqs, pin) =>
      new Set(
        [...outputs.values()].flatMap(({ seq, spender }) => (seqs.includes(seq) && (spender?.seq ?? noSeq) <= pin.lastTx ? seq : [])),
      ),
    txSeqs: async ({ pin, subjects, kinds, times, after, order, limit }) => {
      const matching = numberedTxs
        .filter(({ seq }) => seq <= pin.lastTx)
        .filter(({ block }) => isWithin(times)({ time: Number(block.time) }))
        .filter(({ tx }) => kinds?.includes(tx.unsigned.kind) ?? true)
        .filter((numbered) => subjects?.some((subject) => isAbout(numbered, subject)) ?? true);
      return cutPage(matching, ({ seq }) => seq, { after, order, limit }).map(({ seq }) => seq);
    },
    utxos: async ({ pin, addresses, asset, minAmount, includeSpent, sortBy, order, after, limit }) => {
      const isImported = ({ spender }: ScannedOutput) => spender !== undefined && Number(spender.block.height) <= pin.height;
      const sorted = [...outputs.values()]
        .filter((output) => (output.createdOn === chainID ? output.height <= pin.height : isImported(output)))
        .filter((output) => spendable(addresses, output))
        .filter(({ utxo }) => (asset === undefined || utxo.assetID === asset) && sortAmount(utxo.output) >= minAmount)
        .map((output) => entryOf(output, pin))
        .filter(({ spent }) => includeSpent || spent === undefined)
        .sort((a, b) => byKey(sortBy, a, b) || byPosition(a, b));
      if (order === 'desc') sorted.reverse();
      const from = after === undefined ? 0 : sorted.findIndex(({ seq }) => seq === after) + 1;
      return { outputs: sorted.slice(from, from + limit), readTo: undefined };
    },
    balances: async (addresses, pin, now) => {
      const here = own().filter((output) => output.height <= pin.height && spendable(addresses, output));
      const unspent = here.filter((output) => entryOf(output, pin).spent === undefined && !isMintOutput(output.utxo.output));
      const singleOwner = unspent.filter(({ utxo, consumedOn }) => consumedOn === chainID && hasSingleOwner(utxo.output));
      return {
        singleOwner: singleOwner.map(({ utxo: { assetID: asset, output } }) => {
          const isLocked = output.locktime > BigInt(now);
          return 'amount' in output
            ? { asset, isLocked, amount: output.amount, count: 1, nfts: 0 }
            : { asset, isLocked, amount: 0n, count: 0, nfts: 1 };
        }),
        others: unspent
          .filter((output) => !singleOwner.includes(output))
          .map(({ utxo: { assetID: asset, output }, consumedOn }) => ({
            ...{ asset, type: assetTypeOf(output), isLocked: output.locktime > BigInt(now), amount: sortAmount(output), count: 1 },
            sharedWith: consumedOn === chainID ? undefined : consumedOn,
          })),
      };
    },
    assetNames: async (ids) => [...(await reads.assets(ids)).values()],
    asset: async (id) => (await reads.assets([id])).get(id) ?? (numberedTxs.some(({ tx }) => tx.id === id) ? 'not-an-asset' : undefined),
    assets: async (ids) =>
      new Map(
        numberedTxs.flatMap((numbered) => (ids.includes(numbered.tx.id) ? assetEntry(numbered) : [])).map((entry) => [entry.id, entry]),
      ),
    assetDetails: (ids) => reads.assets(ids),
    lastActivity: async (addresses, pin) => {
      const subjects = addresses.map((address) => ({ address }));
      const seqs = await reads.txSeqs({ pin, subjects, kinds: undefined, times: anyTime, after: undefined, order: 'desc', limit: 1 });
      const [last] = await reads.txs(seqs, pin);
      if (last === undefined) return undefined;
      const isOwned = (output: OutputEntry | undefined) =>
        output?.utxo.output.addresses.some((address) => addresses.includes(address)) ?? false;
      const created = last.emitted.find(isOwned);
      const { utxo } = created ?? (last.consumed.find(isOwned) as OutputEntry);
      return { time: last.tx.time, height: last.height, txID: toHex(last.tx.id) as Id, utxoID: utxo.id, isConsumed: created === undefined };
    },
    seenAddresses: async (addresses, pin) => {
      const seen = await Promise.all(addresses.map((address) => reads.lastActivity([address], pin)));
      return new Set(addresses.filter((_, i) => seen[i] !== undefined));
    },
    buckets: async () => [],
    totals: async () => [],
    addressesBefore: async () => 0,
  };

  function assetEntry({ tx, block, seq: _ }: NumberedTx): AssetEntry[] {
    const { unsigned, id } = tx;
    if (unsigned.kind !== 'CreateAssetTx') return [];
    const related = numberedTxs.filter((numbered) => isAbout(numbered, { asset: id })).map((numbered) => Number(numbered.block.time));
    const outputsOfAsset = own().filter(({ utxo, consumedOn }) => utxo.assetID === id && consumedOn === chainID);
    const unspent = outputsOfAsset.filter(({ spender }) => spender === undefined).map(({ utxo }) => utxo.output);
    return [
      {
        id,
        name: Buffer.from(unsigned.name).toString(),
        symbol: Buffer.from(unsigned.symbol).toString(),
        denomination: unsigned.denomination,
        type: !hasFx(unsigned.initialStates, 0) && unsigned.initialStates.length > 0 ? 'nft' : 'secp256k1',
        cap: unsigned.initialStates.some((state) => state.outputs.some(isMintOutput)) ? 'variable' : 'fixed',
        createdTime: Number(block.time),
        firstTime: Math.min(...related),
        lastTime: Math.max(...related),
        txs: related.length,
        supply: unspent.reduce((sum, output) => sum + ('amount' in output ? output.amount : 0n), 0n),
        nfts: unspent.filter((output) => !('amount' in output) && !isMintOutput(output)).length,
        minters: [...new Set(unspent.filter(isMintOutput).flatMap(({ addresses }) => addresses))].sort(),
        mintRights: distinctOwners(unspent.filter(isMintOutput)),
        unitType: (['secp256k1', 'nft', 'property'] as const).find((_, fx) => hasFx(unsigned.initialStates, fx)) ?? 'secp256k1',
        createdIn: Number(block.height),
      },
    ];
  }
  return reads;
}

const hasFx = (states: readonly InitialState[], fx: number): boolean => states.some(({ fxIndex }) => fxIndex === fx);

const distinctOwners = (outputs: readonly Output[]): AssetEntry['mintRights'] => {
  const owners = outputs.map(({ addresses, threshold }) => ({ addresses, threshold }));
  return owners.filter((one, i) => owners.findIndex((other) => JSON.stringify(one) === JSON.stringify(other)) === i);
};

/* Derived from the outputs alone, independent of the index code. */
const isMintOutput = ({ kind }: Output): boolean => kind.endsWith('MintOutput');
const hasSingleOwner = ({ addresses }: Output): boolean => addresses.length === 1;
const sortAmount = (output: Output): bigint => ('amount' in output ? output.amount : isMintOutput(output) ? 0n : 1n);

const anyTime: TimeRange = { from: undefined, to: undefined };

const noSeq = Number.POSITIVE_INFINITY;

const isWithin =
  ({ from = 0, to = Number.POSITIVE_INFINITY }: TimeRange) =>
  ({ time }: { readonly time: number }) =>
    time >= from && time < to;

const byKey = (sortBy: 'timestamp' | 'amount', a: OutputEntry, b: OutputEntry): number => {
  if (sortBy === 'timestamp') return a.time - b.time;
  const [left, right] = [sortAmount(a.utxo.output), sortAmount(b.utxo.output)];
  return left < right ? -1 : left > right ? 1 : 0;
};

type PageRange = { readonly after: number | undefined; readonly order: Order; readonly limit: number };

/** Cuts a page from rows that are sorted by ascending number. */
function cutPage<T>(rows: readonly T[], numberOf: (row: T) => number, { after, order, limit }: PageRange): T[] {
  const sorted = order === 'asc' ? rows : rows.toReversed();
  const isBehind = (row: T) => after === undefined || (order === 'asc' ? numberOf(row) > after : numberOf(row) < after);
  return sorted.filter(isBehind).slice(0, limit);
}
