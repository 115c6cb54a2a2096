import type { AvmReads } from '../../api/rpc/avm.ts';
import { movedUnits, movementOf } from '../../api/summary/summarize-tx.ts';
import type { Operation } from '../../avm/tx/operation.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import { refId } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import type { StoredBlock } from '../../ledger/state/block-change.ts';
import { addMoved, type BlockSummary, type MovedAmount } from './block-summary.ts';

/** Returns a function that summarizes accepted blocks of one chain. Its cost is a few microseconds per transaction. */
export function createBlockSummary(chain: string, reads: Pick<AvmReads, 'description'>): (stored: StoredBlock) => BlockSummary {
  const assetOf = cacheFunction('describedAssets', describedSize, (id: Id) => describeAsset(id, reads));
  return ({ block, created, consumed }) => {
    const known = new Map([...consumed, ...created].map(({ utxo }) => [utxo.id, utxo]));
    const kinds = new Map<string, number>();
    const moved = new Map<string, MovedAmount>();
    for (const tx of block.txs) {
      const kind = kindOf(tx.unsigned);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      const movement = movementOf(tx, (ref) => known.get(refId(ref)));
      for (const { asset, amount } of movedUnits(movement)) addMoved(moved, asset, { ...assetOf(asset), amount });
    }
    const texts = [...moved].map(([assetID, amount]) => [idText(assetID as Id), amount] as const);
    return { chain, first: block.height, last: block.height, blocks: 1, txs: block.txs.length, kinds, moved: new Map(texts) };
  };
}

/** Bytes of a described asset. */
const describedSize = 400;

function describeAsset(id: Id, reads: Pick<AvmReads, 'description'>): Omit<MovedAmount, 'amount'> {
  const found = reads.description(id);
  // Only pre-linearization assets of a followed chain may be unknown.
  if (found === undefined || found === 'not-an-asset') return { symbol: idText(id), denomination: 0 };
  // A custom genesis may have any bytes as symbol.
  return {
    symbol: Buffer.from(found.symbol)
      .toString('latin1')
      .replace(/[^!-~]/g, '?'),
    denomination: found.denomination,
  };
}

/** The kind of a transaction, as a person calls it. An OperationTx is called by its first operation. */
function kindOf(unsigned: UnsignedTx): string {
  if (unsigned.kind !== 'OperationTx') return kindNames[unsigned.kind];
  const [first] = unsigned.operations;
  return first === undefined ? 'Operation' : operationNames[first.operation.kind];
}

const kindNames: { readonly [K in Exclude<UnsignedTx['kind'], 'OperationTx'>]: string } = {
  BaseTx: 'Transfer',
  CreateAssetTx: 'Create asset',
  ImportTx: 'Import',
  ExportTx: 'Export',
};

const operationNames: { readonly [K in Operation['operation']['kind']]: string } = {
  'secp256k1fx.MintOperation': 'Mint',
  'nftfx.MintOperation': 'Mint NFT',
  'nftfx.TransferOperation': 'Send NFT',
  'propertyfx.MintOperation': 'Mint property',
  'propertyfx.BurnOperation': 'Burn property',
};
