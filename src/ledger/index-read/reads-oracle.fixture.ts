import type { Block } from '../../avm/tx/block.ts';
import { effectsOf } from '../../avm/tx/effects.ts';
import type { Tx } from '../../avm/tx/tx.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { refId } from '../../avm/tx/utxo.ts';
import type { Address } from '../../base/bytes/address.ts';
import type { Id } from '../../base/bytes/id.ts';
import { compareHex } from '../../base/bytes/octets.ts';
import { burnedAmount } from '../state/block-row.ts';
import type { BlockQuery, OutputSum, PinnedBlock, TxQuery, UtxoQuery } from './index-reads.ts';

/** The reference implementation for tests: answers every query by scanning all transactions. */
export type Oracle = ReturnType<typeof createOracle>;

type Output = {
  readonly utxo: Utxo;
  /** Undefined for outputs that moved between chains: the index chooses their numbers. */
  readonly seq: number | undefined;
  readonly height: number;
  readonly time: number;
  readonly createdOn: Id;
  readonly consumedOn: Id;
  spent: { readonly txID: Id | undefined; readonly time: number; readonly seq: number | undefined } | undefined;
};

type OracleTx = { readonly seq: number; readonly tx: Tx; readonly block: Block; readonly consumed: Output[]; readonly emitted: Output[] };

export function createOracle(chainID: Id, feeAsset: Id) {
  const blocks: Block[] = [];
  const txs: OracleTx[] = [];
  const outputs = new Map<Id, Output>();
  const inbound = new Map<Id, Utxo>();
  /** Outputs of other chains that were imported here. */
  const importedOutputs: Output[] = [];

  const accept = (block: Block, applied: readonly Tx[], puts: readonly Utxo[]): void => {
    blocks.push(block);
    for (const utxo of puts) inbound.set(utxo.id, utxo);
    const time = Number(block.time);
    for (const tx of applied) {
      const { spent, created, imported, exported } = effectsOf(tx);
      const seq = txs.length + 1;
      const by = { txID: tx.id, time, seq };
      const consumed = spent.flatMap((ref) => outputs.get(refId(ref)) ?? []);
      for (const output of consumed) output.spent = by;
      for (const id of imported?.ids ?? []) {
        const utxo = inbound.get(id) as Utxo;
        const height = Number(block.height);
        const output = { utxo, seq: undefined, height, time, createdOn: imported?.from as Id, consumedOn: chainID, spent: by };
        importedOutputs.push(output);
        consumed.push(output);
      }
      const base = { height: Number(block.height), time, createdOn: chainID, spent: undefined };
      const emitted = [
        ...created.map((utxo): Output => ({ ...base, utxo, seq: seq * 2 ** 20 + utxo.outputIndex, consumedOn: chainID })),
        ...(exported?.utxos ?? []).map((utxo): Output => ({ ...base, utxo, seq: undefined, consumedOn: exported?.to as Id })),
      ];
      for (const output of emitted) outputs.set(output.utxo.id, output);
      txs.push({ seq, tx, block, consumed, emitted });
    }
  };

  const isSpentAt = (pin: PinnedBlock, spent: Output['spent']): spent is NonNullable<Output['spent']> =>
    spent !== undefined && (spent.seq === undefined ? spent.time <= pin.time : spent.seq <= pin.lastTx);

  /** An output as of a pinned block. */
  const asOf = (pin: PinnedBlock, { spent, ...output }: Output) => ({
    ...output,
    spent: isSpentAt(pin, spent) ? { txID: spent.txID, time: spent.time, here: spent.seq !== undefined } : undefined,
  });

  /** Those of the outputs that one of the addresses owns, alone or with others, and that exist at a pinned block. */
  const ownedAt = (all: readonly Output[], pin: PinnedBlock, addresses: readonly Address[]) => {
    const requested = new Set(addresses);
    return all.filter(({ height, utxo }) => height <= pin.height && utxo.output.addresses.some((address) => requested.has(address)));
  };

  const isVisible = (addresses: readonly Address[]) => {
    const requested = new Set(addresses);
    return ({ utxo: { output } }: { utxo: Utxo }) => {
      const ours = output.addresses.filter((address) => requested.has(address)).length;
      return ours > 0 && ours >= output.threshold;
    };
  };

  const entryOf = (pin: PinnedBlock, { seq, tx, block, consumed, emitted }: OracleTx) => ({
    seq,
    txID: tx.id,
    height: Number(block.height),
    blockID: block.id,
    time: Number(block.time),
    consumed: consumed.map((output) => asOf(pin, output)),
    emitted: emitted.map((output) => asOf(pin, output)),
  });

  const isWithin = ({ from, to }: BlockQuery['times'], block: Block): boolean =>
    (from === undefined || Number(block.time) >= from) && (to === undefined || Number(block.time) < to);

  const cut = <T>(sorted: readonly T[], isAfter: ((item: T) => boolean) | undefined, limit: number): T[] =>
    sorted.filter((item) => isAfter?.(item) ?? true).slice(0, limit);

  const addressesOf = ({ consumed, emitted }: OracleTx): Set<Address> =>
    new Set([...consumed, ...emitted].flatMap(({ utxo }) => utxo.output.addresses));

  const assetsOf = (entry: OracleTx): Set<Id> => {
    const found = new Set([...entry.consumed, ...entry.emitted].map(({ utxo }) => utxo.assetID));
    const { unsigned, id } = entry.tx;
    if (unsigned.kind === 'CreateAssetTx') found.add(id);
    return found;
  };

  const pinOf = (block: Block): PinnedBlock => {
    const last = txs.filter((entry) => entry.block.height <= block.height).length;
    return { height: Number(block.height), id: block.id, time: Number(block.time), lastTx: last };
  };

  /** Counts over the blocks whose time satisfies `isIn`. */
  const counted = (isIn: (time: number) => boolean) => {
    const counts = blocks.slice(1).filter(({ time }) => isIn(Number(time)));
    const inside = txs.filter(({ block }) => block.height > 0n && isIn(Number(block.time)));
    const seen = firstSeen();
    const seconds = [...new Set(blocks.slice(1).map(({ time }) => Number(time)))];
    const rates = seconds.map((second, i) => {
      const gap = i === 0 ? 1 : second - (seconds[i - 1] as number);
      return { second, rate: txs.filter(({ block }) => block.height > 0n && Number(block.time) === second).length / gap };
    });
    return {
      txs: inside.length,
      blocks: counts.length,
      active: new Set(inside.flatMap((entry) => [...addressesOf(entry)])).size,
      senders: new Set(inside.flatMap(({ consumed }) => consumed.flatMap(({ utxo }) => utxo.output.addresses))).size,
      addresses: [...seen.values()].filter(({ height, time }) => height > 0 && isIn(time)).length,
      fees: inside.reduce((sum, { tx }) => sum + burnedAmount(tx, feeAsset), 0n),
      maxTps: rates.filter(({ second }) => isIn(second)).reduce((most, { rate }) => Math.max(most, rate), 0),
      last: Number(counts[counts.length - 1]?.time ?? 0),
    };
  };

  const firstSeen = (): Map<Address, { readonly height: number; readonly time: number }> => {
    const seen = new Map<Address, { height: number; time: number }>();
    for (const entry of txs)
      for (const address of addressesOf(entry))
        if (!seen.has(address)) seen.set(address, { height: Number(entry.block.height), time: Number(entry.block.time) });
    return seen;
  };

  return {
    blocks,
    allTxs: txs,
    accept,
    /** Outputs exported to a chain and not yet imported there. */
    pendingExportsTo: (chain: Id) =>
      [...outputs.values()].filter(({ consumedOn, spent }) => consumedOn === chain && spent === undefined).map(({ utxo }) => utxo),
    markImported: (utxos: readonly Utxo[], txID: Id | undefined, time: number): void => {
      for (const { id } of utxos) (outputs.get(id) as Output).spent = { txID, time, seq: undefined };
    },
    /** All outputs that another chain exported to this one. */
    inbound: (): ReadonlyMap<Id, Utxo> => inbound,
    lastTime: () => Number(blocks[blocks.length - 1]?.time),
    pins: () => blocks.map(pinOf),
    assetIDs: () => txs.filter(({ tx }) => tx.unsigned.kind === 'CreateAssetTx').map(({ tx }) => tx.id),
    blockList: ({ pin, times, after, order, limit }: BlockQuery) => {
      const all = blocks.filter((block) => Number(block.height) <= pin.height && isWithin(times, block));
      if (order === 'desc') all.reverse();
      const isBehind = (height: bigint) => (order === 'asc' ? Number(height) > (after as number) : Number(height) < (after as number));
      return cut(all, after === undefined ? undefined : ({ height }) => isBehind(height), limit);
    },
    txList: ({ pin, subjects, kinds, times, after, order, limit }: TxQuery) => {
      const all = txs.filter(
        (entry) =>
          entry.seq <= pin.lastTx &&
          isWithin(times, entry.block) &&
          (kinds === undefined || kinds.includes(entry.tx.unsigned.kind)) &&
          (subjects === undefined ||
            subjects.some((subject) =>
              'address' in subject ? addressesOf(entry).has(subject.address) : assetsOf(entry).has(subject.asset),
            )),
      );
      if (order === 'desc') all.reverse();
      const isBehind = (seq: number) => (order === 'asc' ? seq > (after as number) : seq < (after as number));
      return cut(all, after === undefined ? undefined : ({ seq }) => isBehind(seq), limit).map((entry) => entryOf(pin, entry));
    },
    /** The whole list; callers cut it into pages. */
    utxoList: ({ pin, addresses, asset, minAmount, includeSpent, sortBy, order }: Omit<UtxoQuery, 'after' | 'limit'>) => {
      const amount = ({ output }: Utxo): bigint => ('amount' in output ? output.amount : output.kind.endsWith('MintOutput') ? 0n : 1n);
      const visible = isVisible(addresses);
      const all = ownedAt([...outputs.values(), ...importedOutputs], pin, addresses)
        .filter(
          (output) =>
            visible(output) &&
            (includeSpent || !isSpentAt(pin, output.spent)) &&
            (asset === undefined || output.utxo.assetID === asset) &&
            amount(output.utxo) >= minAmount,
        )
        .map((output) => asOf(pin, output));
      const key = (output: (typeof all)[number]) => (sortBy === 'timestamp' ? BigInt(output.time) : amount(output.utxo));
      const compare = (a: (typeof all)[number], b: (typeof all)[number]) =>
        key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : comparePositions(a, b);
      // At the same key outputs of this chain come first, in the order of their numbers, then those that moved between chains.
      const last = Number.MAX_SAFE_INTEGER;
      const comparePositions = (a: (typeof all)[number], b: (typeof all)[number]) =>
        (a.seq ?? last) - (b.seq ?? last) || compareHex(a.utxo.id, b.utxo.id);
      return all.sort((a, b) => (order === 'asc' ? compare(a, b) : compare(b, a)));
    },
    balances: (addresses: readonly Address[], pin: PinnedBlock, now: number) => {
      // Spent outputs first: of a long chain they are most.
      const unspent = ownedAt(
        [...outputs.values()].filter(({ spent }) => !isSpentAt(pin, spent)),
        pin,
        addresses,
      );
      const visible = isVisible(addresses);
      const own = new Map<string, { asset: Id; isLocked: boolean; amount: bigint; count: number; nfts: number }>();
      const requested = new Set(addresses);
      for (const { utxo, consumedOn } of unspent) {
        const { output, assetID: asset } = utxo;
        const [address] = output.addresses;
        if (consumedOn !== chainID || output.addresses.length !== 1 || address === undefined || !requested.has(address)) continue;
        if (output.kind.endsWith('MintOutput')) continue;
        const isLocked = output.locktime > BigInt(now);
        const key = asset + isLocked;
        const sum = own.get(key) ?? { asset, isLocked, amount: 0n, count: 0, nfts: 0 };
        own.set(key, sum);
        if ('amount' in output) {
          sum.amount += output.amount;
          sum.count++;
        } else sum.nfts++;
      }
      const others = new Map<string, { -readonly [K in keyof OutputSum]: OutputSum[K] }>();
      for (const output of unspent) {
        const { kind, locktime, addresses: owners } = output.utxo.output;
        if ((output.consumedOn === chainID && owners.length === 1) || !visible(output) || kind.endsWith('MintOutput')) continue;
        const type = kind.startsWith('secp256k1fx') ? ('secp256k1' as const) : ('nft' as const);
        const sharedWith = output.consumedOn === chainID ? undefined : output.consumedOn;
        const key = { asset: output.utxo.assetID, type, isLocked: locktime > BigInt(now), sharedWith };
        const sum = others.get(JSON.stringify(key)) ?? { ...key, amount: 0n, count: 0 };
        others.set(JSON.stringify(key), sum);
        sum.amount += 'amount' in output.utxo.output ? output.utxo.output.amount : 1n;
        sum.count++;
      }
      return {
        singleOwner: [...own.values()],
        others: [...others.values()],
      };
    },
    asset: (id: Id) => {
      const entry = txs.find(({ tx }) => tx.id === id);
      if (entry === undefined || entry.tx.unsigned.kind !== 'CreateAssetTx') return entry && ('not-an-asset' as const);
      const about = txs.filter((one) => assetsOf(one).has(id));
      const here = [...outputs.values()].filter(({ utxo, consumedOn }) => utxo.assetID === id && consumedOn === chainID);
      const unspent = here.filter(({ spent }) => spent === undefined);
      const mintOutputs = (all: typeof here) => all.filter(({ utxo }) => utxo.output.kind.endsWith('MintOutput'));
      const mintRights = mintOutputs(unspent)
        .toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
        .map(({ utxo: { output } }) => ({ addresses: output.addresses, threshold: output.threshold }));
      const { name, symbol, denomination, initialStates } = entry.tx.unsigned;
      const fxs = initialStates.map(({ fxIndex }) => fxIndex);
      return {
        id,
        name: Buffer.from(name).toString(),
        symbol: Buffer.from(symbol).toString(),
        denomination,
        type: !fxs.includes(0) && (fxs.includes(1) || fxs.includes(2)) ? 'nft' : 'secp256k1',
        cap: mintOutputs(here).length > 0 ? 'variable' : 'fixed',
        createdTime: Number(entry.block.time),
        firstTime: Number(about[0]?.block.time),
        lastTime: Number(about[about.length - 1]?.block.time),
        txs: about.length,
        supply: unspent.reduce((sum, { utxo: { output } }) => sum + ('amount' in output ? output.amount : 0n), 0n),
        nfts: unspent.filter(({ utxo: { output } }) => !('amount' in output) && !output.kind.endsWith('MintOutput')).length,
        minters: [...new Set(mintOutputs(unspent).flatMap(({ utxo }) => utxo.output.addresses))].sort(),
        mintRights: mintRights.filter((one, i) => mintRights.findIndex((other) => JSON.stringify(one) === JSON.stringify(other)) === i),
        unitType: (['secp256k1', 'nft', 'property'] as const).find((_, fx) => fxs.includes(fx)) ?? 'secp256k1',
        createdIn: Number(entry.block.height),
      };
    },
    seenAddresses: (addresses: readonly Address[], pin: PinnedBlock) => {
      const seen = firstSeen();
      return new Set(addresses.filter((address) => (seen.get(address)?.time ?? Number.POSITIVE_INFINITY) <= pin.time));
    },
    addressesBefore: (time: number) => [...firstSeen().values()].filter((first) => first.time < time).length,
    counted,
  };
}
