import type { AssetAmount, Tx, UnacceptedTx, Utxo } from '../../api/contract/answers.ts';
import { type SummaryAmount, summaryAmountText, typeWords } from '../../api/summary/sentence.ts';
import { compactAmount, spanText } from '../text/text-format.ts';
import { outputType, sumType } from './output-type.ts';
import { chainTitle, ownerName, type PageContext } from './page-context.ts';

/** One ribbon of the flow picture, between an edge and the trunk. */
export type Strand = {
  readonly title: string;
  readonly note: string;
  /** A short mark for narrow pictures: the index in the list below, or `fee`. */
  readonly mark: string;
  readonly amount: bigint;
  /** The row of the list below that it stands for. */
  readonly href: string | undefined;
  readonly look: 'plain' | 'locked' | 'burned';
  /** What it is to the transaction: what it pays, change that returns to the sender, or its fee. Undefined for inputs and burned assets. */
  readonly role: 'payment' | 'change' | 'fee' | undefined;
};

/** The flow of one asset. Amounts of different assets are never compared. */
export type Bundle = {
  readonly symbol: string;
  readonly total: string;
  readonly color: number;
  readonly inputs: readonly Strand[];
  readonly outputs: readonly Strand[];
};

/** The most strands on one side of a bundle; the smallest are merged into one. */
const maxStrands = 12;

/** The flow of a transaction: one bundle per asset, the chain's fee asset first. `change`: indexes of the outputs that are change. */
export function flowOf(
  tx: Pick<Tx | UnacceptedTx, 'txType' | 'consumedUtxos' | 'emittedUtxos'>,
  context: PageContext,
  now: number,
  change: readonly number[],
): Bundle[] {
  const keys = new Map<string, AssetAmount>();
  for (const { asset } of [...tx.consumedUtxos, ...tx.emittedUtxos]) keys.set(`${asset.assetId} ${asset.type}`, asset);
  const assets = [...keys].toSorted(
    ([a], [b]) => Number(b.startsWith(context.chain.feeAsset)) - Number(a.startsWith(context.chain.feeAsset)),
  );
  return assets.map(([key, asset], at) => {
    const isSame = (one: Utxo): boolean => `${one.asset.assetId} ${one.asset.type}` === key;
    const type = sumType(asset, [...tx.consumedUtxos, ...tx.emittedUtxos]);
    const text = (amount: bigint): string => textOf(asset, type, amount);
    const [consumed, produced] = [withIndex(tx.consumedUtxos, isSame), withIndex(tx.emittedUtxos, isSame)];
    const [allIn, allOut] = [sum(consumed), sum(produced)];
    const source = allOut > allIn ? [sourceStrand(tx, text(allOut - allIn), allOut - allIn)] : [];
    const burned = allIn > allOut ? [burnedStrand(asset, context, text(allIn - allOut), allIn - allOut)] : [];
    const inputs = limitStrands(consumed, source, text, ({ utxo, index }) => inputStrand(utxo, index, context));
    const outputs = limitStrands(produced, burned, text, ({ utxo, index }) =>
      outputStrand(utxo, index, context, change.includes(index) ? 'change' : 'payment', now),
    );
    const total = allIn > allOut ? allIn : allOut;
    return {
      symbol: `${asset.symbol || 'unknown asset'}${typeWords[type][0]}`,
      total: total === 0n ? 'right to mint' : compactAmount(total, asset.denomination),
      color: (at % 5) + 1,
      inputs,
      outputs,
    };
  });
}

/** An output, its index in the transaction, and its amount. */
type Placed = { readonly utxo: Utxo; readonly index: number; readonly amount: bigint };

const withIndex = (utxos: readonly Utxo[], isWanted: (utxo: Utxo) => boolean): Placed[] =>
  utxos.flatMap((utxo, index) => (isWanted(utxo) ? [{ utxo, index, amount: BigInt(utxo.asset.amount) }] : []));

const sum = (parts: readonly { readonly amount: bigint }[]): bigint => parts.reduce((all, { amount }) => all + amount, 0n);

const textOf = (asset: AssetAmount, type: SummaryAmount['type'], amount: bigint): string =>
  summaryAmountText({ ...asset, type, amount: amount.toString() });

const noteOf = (utxo: Utxo): string =>
  utxo.utxoType === 'mint' ? `may mint ${utxo.asset.symbol}` : textOf(utxo.asset, outputType(utxo), BigInt(utxo.asset.amount));

const ownerText = ({ addresses, threshold }: Utxo, context: PageContext): string => {
  if (addresses.length === 0) return 'nobody';
  return addresses.length === 1 ? ownerName(context, addresses[0] as string) : `${threshold} of ${addresses.length} owners`;
};

function inputStrand(utxo: Utxo, index: number, context: PageContext): Strand {
  const isImported = utxo.createdOnChainId !== context.chain.id;
  return {
    title: isImported ? `from ${chainTitle(context, utxo.createdOnChainId)}` : ownerText(utxo, context),
    note: noteOf(utxo),
    mark: String(index),
    amount: BigInt(utxo.asset.amount),
    href: `#in-${index}`,
    look: 'plain',
    role: undefined,
  };
}

function outputStrand(utxo: Utxo, index: number, context: PageContext, role: 'payment' | 'change', now: number): Strand {
  const isExported = utxo.consumedOnChainId !== context.chain.id;
  const isLocked = utxo.locktime > now;
  const notes = [noteOf(utxo)];
  if (isLocked) notes.push(`locked ${spanText(utxo.locktime - now)}`);
  else if (role === 'change') notes.push('change');
  return {
    title: isExported ? `to ${chainTitle(context, utxo.consumedOnChainId)}` : ownerText(utxo, context),
    note: notes.join(' · '),
    mark: String(index),
    amount: BigInt(utxo.asset.amount),
    href: `#out-${index}`,
    look: isLocked ? 'locked' : 'plain',
    role,
  };
}

/** Units that no consumed output explains: minted, or from outputs that this server does not have. */
const sourceStrand = ({ txType }: Pick<Tx, 'txType'>, note: string, amount: bigint): Strand => ({
  title: txType === 'CreateAssetTx' || txType === 'OperationTx' ? 'Minted' : 'From before the indexed history',
  note,
  mark: 'new',
  amount,
  href: undefined,
  look: 'plain',
  role: undefined,
});

const burnedStrand = ({ assetId }: AssetAmount, { chain }: PageContext, note: string, amount: bigint): Strand => ({
  title: assetId === chain.feeAsset ? 'Burned (fee)' : 'Burned',
  note,
  mark: assetId === chain.feeAsset ? 'fee' : 'burned',
  amount,
  href: undefined,
  look: 'burned',
  role: assetId === chain.feeAsset ? 'fee' : undefined,
});

/**
 * At most `maxStrands` strands. If there are more, the smallest payments are merged into `+N more`, and change into one strand, so that neither is
 * taken for the other. The `fixed` ones always stay.
 */
function limitStrands(
  outputs: readonly Placed[],
  fixed: readonly Strand[],
  text: (amount: bigint) => string,
  strandOf: (output: Placed) => Strand,
): readonly Strand[] {
  const strands = outputs.map(strandOf);
  if (strands.length + fixed.length <= maxStrands) return [...strands, ...fixed];
  const change = mergeStrands(
    strands.filter(({ role }) => role === 'change'),
    (count, amount) => ({ title: `${count} outputs`, note: `${text(amount)} · change` }),
  );
  const others = strands.filter(({ role }) => role !== 'change');
  const room = maxStrands - fixed.length - change.length;
  const bySize = others.toSorted((a, b) => Number(b.amount > a.amount) - Number(b.amount < a.amount));
  const kept = new Set(others.length <= room ? others : bySize.slice(0, room - 1));
  const more = mergeStrands(
    others.filter((strand) => !kept.has(strand)),
    (count, amount) => ({ title: `+${count} more`, note: text(amount) }),
  );
  return [...others.filter((strand) => kept.has(strand)), ...more, ...change, ...fixed];
}

/** One strand for several; one or none stay as they are. */
function mergeStrands(
  strands: readonly Strand[],
  words: (count: number, amount: bigint) => Pick<Strand, 'title' | 'note'>,
): readonly Strand[] {
  const [first] = strands;
  if (first === undefined || strands.length === 1) return strands;
  const amount = sum(strands);
  const { title, note } = words(strands.length, amount);
  return [{ title, note, mark: `+${strands.length}`, amount, href: undefined, look: 'plain', role: first.role }];
}
