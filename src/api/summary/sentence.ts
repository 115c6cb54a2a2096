import { formatUnits } from '../../base/bytes/units.ts';
import type { TxSummary } from '../contract/answers.ts';

export type Party = TxSummary['from'][number];
export type SummaryAmount = TxSummary['amounts'][number];

/** A part of a sentence: words, or what a page shows as a link. */
export type SentencePart =
  | string
  | { readonly party: Party }
  | { readonly amount: SummaryAmount }
  /** ID of another chain. */
  | { readonly chain: string };

/** How names appear in the text of a sentence. */
export type SentenceNames = {
  /** The name of an address, such as `account 1`, or the address. */
  readonly address: (address: string) => string;
  /** The title of a chain by its ID, such as `P-Chain`. */
  readonly chain: (id: string) => string;
};

/** The sentence about a transaction in parts: `account 1 sent 1,250.5 AVAX to account 2`. Words have their spaces. */
export const sentenceOf = (summary: TxSummary): readonly SentencePart[] => sentences[summary.action](summary);

/** The same as a text. Amounts without a label are shown with the ID of their asset. */
export const sentenceText = (summary: TxSummary, names: SentenceNames): string =>
  sentenceOf(summary)
    .map((part) => {
      if (typeof part === 'string') return part;
      if ('party' in part) return partyText(part.party, names.address);
      return 'chain' in part ? names.chain(part.chain) : summaryAmountText(part.amount);
    })
    .join('');

/** `2 of 3 owners` for several owners; one owner by its name. */
export function partyText({ addresses: [first, ...others], threshold }: Party, nameOf: (address: string) => string): string {
  if (first === undefined) return 'nobody';
  return others.length === 0 ? nameOf(first) : `${threshold} of ${others.length + 1} owners`;
}

/** `1.5 AVAX`, `2 CARD NFTs`, `1 DEED property`. Units of an asset without a label are in the smallest unit. */
export function summaryAmountText({ type, amount, symbol, denomination = 0, assetId }: SummaryAmount): string {
  const units = type === 'secp256k1' ? formatUnits(BigInt(amount), denomination) : formatUnits(BigInt(amount), 0);
  const word = typeWords[type][amount === '1' ? 0 : 1];
  return symbol === undefined ? `${units}${word} of ${assetId}` : `${units}${symbol === '' ? '' : ` ${symbol}`}${word}`;
}

export const typeWords: { readonly [T in SummaryAmount['type']]: readonly [one: string, many: string] } = {
  secp256k1: ['', ''],
  nft: [' NFT', ' NFTs'],
  property: [' property', ' properties'],
};

/** What a created asset is called. */
export const familyWords: { readonly [T in SummaryAmount['type']]: string } = {
  secp256k1: 'asset',
  nft: 'NFT family',
  property: 'property family',
};

const sentences: { readonly [A in TxSummary['action']]: (summary: TxSummary) => readonly SentencePart[] } = {
  send: (summary) => [...senderOf(summary), ' sent ', ...amountsOf(summary), ...receiverOf(summary, ' to ')],
  mint: (summary) => [...senderOf(summary), ' minted ', ...amountsOf(summary), ...receiverOf(summary, ' to ')],
  burn: (summary) => [...senderOf(summary), ' burned ', ...amountsOf(summary)],
  operate: (summary) => [...senderOf(summary), ' minted, moved or burned ', ...amountsOf(summary)],
  export: (summary) => [
    ...senderOf(summary),
    ' exported ',
    ...amountsOf(summary),
    ' to ',
    { chain: summary.otherChain ?? '' },
    ...(summary.isToSelf ? [] : receiverOf(summary, ' for ')),
  ],
  import: (summary) => ['imported ', ...amountsOf(summary), ' from ', { chain: summary.otherChain ?? '' }, ...receiverOf(summary, ' to ')],
  create: (summary) => {
    const { created, isToSelf, amountCount } = summary;
    const name = `${created?.name || 'without a name'}${created?.symbol ? ` (${created.symbol})` : ''}`;
    const what = `created the ${familyWords[created?.type ?? 'secp256k1']} ${name}`;
    return [
      ...(summary.fromCount === 0 ? ['the network '] : [...senderOf(summary), ' ']),
      what,
      ...(amountCount === 0 ? [] : [' with ', ...amountsOf(summary), ...(isToSelf ? [] : receiverOf(summary, ' for '))]),
    ];
  },
};

const senderOf = ({ from, fromCount }: TxSummary): readonly SentencePart[] =>
  fromCount === 0 ? ['an unknown sender'] : partiesOf(from, fromCount);

const receiverOf = ({ to, toCount, isToSelf }: TxSummary, word: string): readonly SentencePart[] =>
  toCount === 0 ? [] : isToSelf ? [`${word}itself`] : [word, ...partiesOf(to, toCount)];

/** Two owners are named; of more, the first. */
export function partiesOf([first, second]: readonly Party[], count: number): readonly SentencePart[] {
  if (first === undefined) return ['nobody'];
  if (count === 1 || second === undefined) return [{ party: first }];
  return count === 2 ? [{ party: first }, ' and ', { party: second }] : [{ party: first }, ` and ${count - 1} more`];
}

function amountsOf({ amounts, amountCount }: TxSummary): readonly SentencePart[] {
  if (amountCount === 0) return ['nothing'];
  const more = amountCount - amounts.length;
  const parts = amounts.flatMap((amount, at): SentencePart[] => {
    const word = at === 0 ? '' : at === amountCount - 1 ? ' and ' : ', ';
    return word === '' ? [{ amount }] : [word, { amount }];
  });
  return more === 0 ? parts : [...parts, ` and ${more} more`];
}
