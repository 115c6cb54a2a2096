import type { AvmReads } from '../../api/rpc/avm.ts';
import type { Operation } from '../../avm/tx/operation.ts';
import type { UnsignedTx } from '../../avm/tx/unsigned.ts';
import type { Utxo } from '../../avm/tx/utxo.ts';
import { type Id, idText } from '../../base/bytes/id.ts';
import { cacheFunction } from '../../base/cache/cache.ts';
import type { StoredBlock } from '../../ledger/state/block-change.ts';
import { addMoved, type BlockSummary, type MovedAmount } from './block-summary.ts';

/** Returns a function that summarizes accepted blocks of one chain. Its cost is a few microseconds per transaction. */
export function createBlockSummary(chain: string, reads: Pick<AvmReads, 'description'>): (stored: StoredBlock) => BlockSummary {
  const assetOf = cacheFunction('describedAssets', describedSize, (id: Id) => describeAsset(id, reads));
  return ({ block, applied, created, consumed, firstTx }) => {
    const ownersByTx = collectInputOwners({ created, consumed, firstTx });
    const kinds = new Map<string, number>();
    const moved = new Map<string, MovedAmount>();
    const addOutputs = (utxos: readonly Utxo[], inputOwners: ReadonlySet<string> | undefined): void => {
      for (const { assetID, output } of utxos)
        if (output.kind === 'secp256k1fx.TransferOutput' && !output.addresses.some((address) => inputOwners?.has(assetID + address)))
          addMoved(moved, assetID, { ...assetOf(assetID), amount: output.amount });
    };
    for (const [at, { tx, effects }] of applied.entries()) {
      const kind = kindOf(tx.unsigned);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      addOutputs(effects.created, ownersByTx[at]);
      addOutputs(effects.exported?.utxos ?? [], undefined);
    }
    const texts = [...moved].map(([assetID, amount]) => [idText(assetID as Id), amount] as const);
    return { chain, first: block.height, last: block.height, blocks: 1, txs: block.txs.length, kinds, moved: new Map(texts) };
  };
}

/** Bytes of a described asset. */
const describedSize = 400;

/**
 * The owners of the inputs of each transaction of a block, by its position, as asset ID and address. An output of the same asset that goes
 * back to one of them is change.
 */
function collectInputOwners({ created, consumed, firstTx }: Pick<StoredBlock, 'created' | 'consumed' | 'firstTx'>) {
  const owners: Set<string>[] = [];
  for (const { utxo, spent } of [...consumed, ...created]) {
    if (spent === null || utxo.output.kind !== 'secp256k1fx.TransferOutput') continue;
    const own = owners[spent - firstTx] ?? new Set();
    owners[spent - firstTx] = own;
    for (const address of utxo.output.addresses) own.add(utxo.assetID + address);
  }
  return owners;
}

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
