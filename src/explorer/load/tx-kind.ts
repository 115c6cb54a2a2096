import type { Tx, TxType } from '../../api/contract/answers.ts';

/** The kinds of transactions that readers see. `color` is the number of a colour in the style sheet. */
export type Kind = { readonly word: string; readonly color: 1 | 2 | 3 | 4 | 5; readonly glyph: keyof typeof glyphs };

/** Glyphs of kinds, as paths in a box of 12 by 12. */
export const glyphs = {
  arrow: 'M2 6h7M6.5 3 9.5 6l-3 3',
  plus: 'M6 2.5v7M2.5 6h7',
  gear: 'M3 4h6M3 8h6',
  diamond: 'M6 2 10 6 6 10 2 6z',
  down: 'M6 1.5V7M3.5 5 6 7.5 8.5 5M2 10h8',
  up: 'M6 10V4.5M3.5 6.5 6 4l2.5 2.5M2 1.8h8',
} as const;

const kinds = {
  BaseTx: { word: 'Transfer', color: 1, glyph: 'arrow' },
  OperationTx: { word: 'Operation', color: 2, glyph: 'gear' },
  CreateAssetTx: { word: 'Create asset', color: 3, glyph: 'diamond' },
  ImportTx: { word: 'Import', color: 4, glyph: 'down' },
  ExportTx: { word: 'Export', color: 5, glyph: 'up' },
} as const satisfies { readonly [K in TxType]: Kind };

const mint: Kind = { word: 'Mint', color: 2, glyph: 'plus' };

export const kindOfType = (type: TxType, isMint = false): Kind => (isMint ? mint : kinds[type]);
export const kindOf = (tx: Pick<Tx, 'txType' | 'consumedUtxos'>): Kind => kindOfType(tx.txType, isMint(tx));

/** An operation that consumes a mint output mints. */
export const isMint = (tx: Pick<Tx, 'txType' | 'consumedUtxos'>): boolean =>
  tx.txType === 'OperationTx' && tx.consumedUtxos.some(({ utxoType }) => utxoType === 'mint');

/** Kinds in the order of their colours, for legends. */
export const allKinds: readonly (readonly [TxType, Kind])[] = Object.entries(kinds) as [TxType, Kind][];
