import type { Tx, Utxo } from '../../api/contract/answers.ts';
import { chainPath, type PageContext } from './page-context.ts';
import { slimUtxo } from './slim.ts';
import { readIfFound, type Source } from './source.ts';

export type OutputData = {
  readonly utxo: Utxo;
  /** Height of the block that created it on this chain. */
  readonly createdIn: number | undefined;
  readonly spentIn: number | undefined;
  /** Where the NFT of this output was before and after it, oldest first; itself included. Empty for other outputs. */
  readonly owners: readonly Utxo[];
  /** Whether the NFT was moved more often than `owners` shows. */
  readonly hasMoreOwners: boolean;
};

/** Transfers of an NFT that are followed in each direction. */
const maxTransfers = 25;

/** One output, spent or not. Undefined if nothing has this name. */
export async function loadOutput(source: Source, context: PageContext, name: string): Promise<OutputData | undefined> {
  const base = chainPath(context);
  const utxo = await readIfFound<Utxo>(source, `${base}/utxos/${encodeURIComponent(name)}`);
  if (utxo === undefined) return undefined;
  const readTx = async (id: string | undefined): Promise<Tx | undefined> =>
    id === undefined ? undefined : readIfFound<Tx>(source, `${base}/transactions/${encodeURIComponent(id)}`);
  const [created, spent] = await Promise.all([readTx(utxo.creationTxHash), readTx(utxo.consumingTxHash)]);
  const isNft = utxo.asset.type === 'nft' && utxo.utxoType === 'transfer' && utxo.payload !== undefined;
  const [before, after] = isNft
    ? await Promise.all([
        followNft(
          utxo,
          created,
          ({ consumedUtxos }) => consumedUtxos,
          ({ creationTxHash }) => readTx(creationTxHash),
        ),
        followNft(
          utxo,
          spent,
          ({ emittedUtxos }) => emittedUtxos,
          ({ consumingTxHash }) => readTx(consumingTxHash),
        ),
      ])
    : [[], []];
  return {
    utxo: slimUtxo(utxo),
    createdIn: created?.blockHeight,
    spentIn: spent?.blockHeight,
    owners: isNft ? [...before.toReversed(), utxo, ...after].map(slimUtxo) : [],
    hasMoreOwners: before.length >= maxTransfers || after.length >= maxTransfers,
  };
}

/** Follows an NFT from transaction to transaction: the output with the same asset, group and payload is the same NFT. */
async function followNft(
  utxo: Utxo,
  start: Tx | undefined,
  sideOf: (tx: Tx) => readonly Utxo[],
  next: (utxo: Utxo) => Promise<Tx | undefined>,
): Promise<Utxo[]> {
  const found: Utxo[] = [];
  for (let tx = start; tx !== undefined && found.length < maxTransfers; ) {
    const same = sideOf(tx).find(
      (one) =>
        one.utxoType === 'transfer' &&
        one.asset.assetId === utxo.asset.assetId &&
        one.groupId === utxo.groupId &&
        one.payload === utxo.payload,
    );
    if (same === undefined) break;
    found.push(same);
    tx = await next(same);
  }
  return found;
}
